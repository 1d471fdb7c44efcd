import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The origin of the bytes of a promised representation.
enum AskOrigin {
    /// What `sh -c` prints.
    case command(SystemString, type: String)
    case input(InputBytes)
}
