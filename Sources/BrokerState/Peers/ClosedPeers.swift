/// The connections that ended or were refused last. They explain in a status why a program has ended.
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

    private static let length = 16

    /// The oldest first.
    private(set) var entries: [Entry] = []

    mutating func record(_ entry: Entry) {
        // A program that connects again and again must not displace all others.
        if let last = entries.last, entry.repeats(last) { entries.removeLast() }
        if entries.count == Self.length { entries.removeFirst() }
        entries.append(entry)
    }
}
