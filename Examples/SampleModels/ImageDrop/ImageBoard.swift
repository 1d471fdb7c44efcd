public import PasteboardKit

/// The contents of `image-drop`: a view with a frame that holds at most one picture.
public struct ImageBoard: Sendable {
    /// The picture in the frame.
    public var picture: Picture?
    /// The whole view.
    public let bounds = Rect(x: 0, y: 0, width: 100, height: 100)
    /// The frame of the picture within the view.
    public let frame = Rect(x: 20, y: 20, width: 60, height: 60)

    /// Makes a board.
    public init(_ picture: Picture? = .pixel) {
        self.picture = picture
    }
}
