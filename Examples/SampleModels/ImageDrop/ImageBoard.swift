public import PasteboardKit

/// What `image-drop` shows: a view, and in it a frame that holds one picture or none.
public struct ImageBoard: Sendable {
    /// The picture in the frame.
    public var picture: Picture?
    /// The whole view.
    public let bounds = Rect(x: 0, y: 0, width: 100, height: 100)
    /// Where the picture is in it.
    public let frame = Rect(x: 20, y: 20, width: 60, height: 60)

    /// Makes a board.
    public init(_ picture: Picture? = .pixel) {
        self.picture = picture
    }
}
