public import Foundation

/// The contents of `image-drop`: a view with a frame that holds at most one picture.
public struct ImageBoard: Sendable {
    /// The picture in the frame.
    public var picture: Picture?
    /// The whole view.
    public let bounds = CGRect(x: 0, y: 0, width: 100, height: 100)
    /// The frame of the picture within the view.
    public let frame = CGRect(x: 20, y: 20, width: 60, height: 60)

    /// Makes a board.
    public init(_ picture: Picture? = .pixel) {
        self.picture = picture
    }

    /// Shows the first of the pictures instead of the current one. An empty array changes nothing.
    ///
    /// - Returns: whether a picture was shown.
    public mutating func show(_ pictures: [Picture]) -> Bool {
        guard let picture = pictures.first else { return false }
        self.picture = picture
        return true
    }

    /// Removes a picture that has moved to another destination, if it is still the one shown.
    ///
    /// - Returns: whether it was removed.
    public mutating func remove(_ picture: Picture) -> Bool {
        guard self.picture === picture else { return false }
        self.picture = nil
        return true
    }
}
