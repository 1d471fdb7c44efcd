/// The connections that ended or were refused last. They explain in a status why a program has ended, and give the
/// names of programs that have loaded something.
struct ClosedPeers: Sendable {
    struct Entry: Sendable {
        let process: ProcessKey
        let label: String
        /// Why the broker closed or refused the connection; nil if the process closed it.
        let reason: String?
        let at: UInt64

        /// Whether another entry differs in nothing but its time.
        fileprivate func repeats(_ other: Entry) -> Bool {
            process == other.process && label == other.label && reason == other.reason
        }
    }

    /// The number of entries whose names are remembered, and of those that are shown.
    private static let length = 256
    private static let shown = 16

    private var entries: [Entry] = []

    mutating func record(_ entry: Entry) {
        // A program that connects again and again must not displace all others.
        if let last = entries.last, entry.repeats(last) { entries.removeLast() }
        if entries.count == Self.length { entries.removeFirst() }
        entries.append(entry)
    }

    /// The last entries, the oldest first.
    var last: [Entry] { Array(entries.suffix(Self.shown)) }

    /// The name of a process that has ended.
    func label(of process: ProcessKey) -> String? {
        entries.last { $0.process == process && !$0.label.isEmpty }?.label
    }
}
