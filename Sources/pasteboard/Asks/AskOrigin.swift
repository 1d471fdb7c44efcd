import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The origin of the bytes of a promised representation.
enum AskOrigin {
    /// The output of `sh -c`.
    case command(SystemString, type: String)
    case input(InputBytes)
}
