/// What drops and drags do to the board.
public struct ImageChanges: Sendable {
    /// The board as it is now.
    public private(set) var board: ImageBoard

    /// Begins with this board.
    public init(_ board: ImageBoard) {
        self.board = board
    }

    /// Shows the first of the pictures instead of what was there. None change nothing.
    ///
    /// - Returns: whether there was one.
    public mutating func show(_ pictures: [Picture]) -> Bool {
        guard let picture = pictures.first else { return false }
        board.picture = picture
        return true
    }

    /// Takes away the picture that has moved elsewhere, if it is still the one that is shown.
    ///
    /// - Returns: whether it was.
    public mutating func remove(_ picture: Picture) -> Bool {
        guard board.picture === picture else { return false }
        board.picture = nil
        return true
    }

    /// Shows this, or nothing.
    public mutating func replace(by picture: Picture?) {
        board.picture = picture
    }
}
