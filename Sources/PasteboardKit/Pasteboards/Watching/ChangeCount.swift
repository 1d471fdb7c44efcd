import PasteboardWire

/// The number of a pasteboard's contents. Each write and each clear changes it.
public struct ChangeCount: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A number that grows by one with each write and clear of the pasteboard, within one epoch.
    public let value: UInt64
    /// The number of one lifetime of the broker. Change counts also grow from one epoch to the next.
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
