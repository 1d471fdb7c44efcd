/// A name among those of a selection, or among the types of a board, that says through which brokers the contents have
/// come. Contents that have come through a broker do not return to it, whatever other bridges, links and clipboard
/// managers pass them on.
struct BridgeMark: Equatable {
    private static let prefix = "application/x-pasteboard-bridge."
    /// The number of brokers after which contents are passed on no more.
    static let longest = 8

    var epochs: [UInt64]

    init(_ epochs: [UInt64] = []) { self.epochs = epochs }

    /// The mark among names; an empty one if there is none.
    init(in names: some Sequence<String>) {
        let name = names.first { $0.lowercased().hasPrefix(Self.prefix) } ?? ""
        epochs = name.dropFirst(Self.prefix.count).split(separator: ".").prefix(Self.longest)
            .compactMap { UInt64($0, radix: 16) }
    }

    var name: String { Self.prefix + epochs.map { String($0, radix: 16) }.joined(separator: ".") }

    static func isMark(_ name: String) -> Bool { name.lowercased().hasPrefix(prefix) }
}
