import PasteboardWire

/// The number of a pasteboard's contents.
public struct ChangeCount: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Grows by one with each write and clear of one pasteboard, within one epoch.
    public let value: UInt64
    /// Names one life of the broker. Counts of a later life are greater, too.
    public let epoch: UInt64

    /// The value.
    public var description: String { "\(value)" }

    init(value: UInt64?, epoch: UInt64?) {
        self.value = value ?? 0
        self.epoch = epoch ?? 0
    }

    init(_ committed: Committed) {
        self.init(value: committed.changeCount, epoch: committed.epoch)
    }
}
