import PasteboardWire

/// The effect of a drop.
public enum DropOperation: UInt, Sendable {
    /// Nothing; the session is cancelled.
    case cancel
    /// Nothing, although the destination takes such items at other times.
    case forbidden
    /// The destination receives a copy.
    case copy
    /// The destination receives the items, and the source deletes them after that.
    case move

    /// Makes the operation of a message. An operation that this version does not know becomes ``cancel``.
    init(_ message: PasteboardWire.DropOperation) {
        self = DropOperation(rawValue: UInt(message.rawValue)) ?? .cancel
    }

    var message: PasteboardWire.DropOperation {
        PasteboardWire.DropOperation(rawValue: UInt32(rawValue))
    }
}
