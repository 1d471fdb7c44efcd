/// Changes of the board by drops and drags.
public struct ImageChanges: Sendable {
    /// The current board.
    public private(set) var board: ImageBoard

    /// Begins with this board.
    public init(_ board: ImageBoard) {
        self.board = board
    }

    /// Shows the first of the pictures instead of the current one. An empty array changes nothing.
    ///
    /// - Returns: whether a picture was shown.
    public mutating func show(_ pictures: [Picture]) -> Bool {
        guard let picture = pictures.first else { return false }
        board.picture = picture
        return true
    }

    /// Removes a picture that has moved to another destination, if it is still the one shown.
    ///
    /// - Returns: whether it was removed.
    public mutating func remove(_ picture: Picture) -> Bool {
        guard board.picture === picture else { return false }
        board.picture = nil
        return true
    }

    /// Shows a picture, or nothing if it is nil.
    public mutating func replace(by picture: Picture?) {
        board.picture = picture
    }
}
