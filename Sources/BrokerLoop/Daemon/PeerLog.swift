/// The rate limit of log lines that others can cause: about peers that the broker refuses or ends, about contents that
/// it evicts, and about what crosses a link.
///
/// A program that reconnects in a loop must not fill a disk. Each process gets one line in ten seconds, so that one
/// process does not hide another, and its next line reports the number of events in between. Processes beyond the
/// capacity of the table share the line of process 0, which is also that of unknown processes.
package struct PeerLog {
    static let capacity = 16
    private static let interval: UInt64 = 10_000

    private var quietUntil: [UInt32: UInt64] = [:]
    private var omitted: [UInt32: Int] = [:]

    package init() {}

    /// Returns the line to write now, if any.
    ///
    /// - Parameters:
    ///   - process: the process, or another number for what the lines are about.
    ///   - now: in milliseconds.
    package mutating func line(_ text: String, process: UInt32, at now: UInt64) -> String? {
        if quietUntil[process] == nil, quietUntil.count >= Self.capacity { forget(before: now) }
        let isKnown = quietUntil[process] != nil || quietUntil.count < Self.capacity
        let process = isKnown ? process : 0
        guard now >= quietUntil[process] ?? 0 else {
            omitted[process, default: 0] += 1
            return nil
        }
        quietUntil[process] = now + Self.interval
        guard let count = omitted.removeValue(forKey: process) else { return text }
        return "\(text) (\(count) more since the previous line)"
    }

    /// Makes room by dropping the processes that have been quiet. Their counts are added to the shared line.
    private mutating func forget(before now: UInt64) {
        for (process, end) in quietUntil where process != 0 && end <= now {
            quietUntil[process] = nil
            if let count = omitted.removeValue(forKey: process) { omitted[0, default: 0] += count }
        }
    }
}
