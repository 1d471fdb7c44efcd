package import PasteboardWire

/// The limits of the broker, each with a name. One table serves `--limit`, the configuration file, `pasteboard limits`
/// and the tests, which set the limits that must not end a wait to ten minutes.
package struct BrokerLimits: Sendable, Equatable {
    /// The unit of a limit's number.
    package enum Unit: String, Sendable {
        case milliseconds
        case bytes
        case count

        /// The accepted spellings of a value, for errors.
        var forms: String {
            switch self {
            case .milliseconds: "a time: 500ms, 30s, 1m30s, 1h or 1d"
            case .bytes: "a size: 65536, 64KiB, 1.5 MiB or 1GiB"
            case .count: "a whole number"
            }
        }
    }

    /// One limit: its name, unit, meaning and key path.
    package struct Entry: Sendable {
        package let name: String
        package let unit: Unit
        package let meaning: String
        package let path: any WritableKeyPath<BrokerLimits, UInt64> & Sendable
        /// Whether 0 is useful: it switches something off, which the broker can do without.
        let mayBeZero: Bool
    }

    package var hello: UInt64 = 5_000
    package var firstByte = LoadTimeouts.firstByte
    package var progress = LoadTimeouts.progress
    package var keepAlive = LoadTimeouts.keepAlive
    package var longestLoad: UInt64 = 86_400_000
    package var drain: UInt64 = 5_000
    /// The time without connections after which the broker ends; 0: never.
    package var idleExit: UInt64 = 0

    package var connections: UInt64 = 16_384
    package var connectionsPerProcess: UInt64 = 4_096
    package var loadsPerConnection: UInt64 = 128
    package var asksPerSource: UInt64 = 128
    package var waitingPerSource: UInt64 = 1_024
    package var boards: UInt64 = 1_024
    package var objects: UInt64 = 1 << 20
    package var metadata: UInt64 = 64 << 20
    package var metadataPerPublication: UInt64 = 1 << 20

    package var metadataPerSession: UInt64 = 256 << 10

    package var proposal: UInt64 = 500
    package var dropWindow: UInt64 = 5_000
    package var conclude: UInt64 = 30_000
    package var session: UInt64 = 600_000
    package var sessions: UInt64 = 1_024
    package var sessionsPerProcess: UInt64 = 128
    package var destinations: UInt64 = 1_024
    package var destinationsPerProcess: UInt64 = 128
    package var watches: UInt64 = 16_384
    /// A program with as many connections as it may have can have a watch on each.
    package var watchesPerProcess: UInt64 = 4_096

    package var controlQueue: UInt64 = 1 << 20
    package var controlPool: UInt64 = 64 << 20
    package var transferPool: UInt64 = 64 << 20
    /// The driver sets it to a quarter of the machine's memory.
    package var keptPool: UInt64 = 256 << 20
    package var keptRepresentations: UInt64 = 4_096
    /// 0: none, because what is on disk can be read long after it was cleared.
    package var keptOnDisk: UInt64 = 0
    package var passedDescriptors: UInt64 = 256

    package init() {}

    /// All limits. Made for each use, because a broker that runs does not need them.
    package static var entries: [Entry] {
        [
            Entry("hello", .milliseconds, "time from connecting to a complete hello", \.hello),
            Entry(
                "first-byte",
                .milliseconds,
                "time from a request to the source's first bytes or progress",
                \.firstByte
            ),
            Entry(
                "progress",
                .milliseconds,
                "time without progress of a source, or of a destination that blocks others; "
                    + "while others wait: for 16 KiB",
                \.progress
            ),
            Entry(
                "keep-alive",
                .milliseconds,
                "time for which progress reports alone extend a load",
                \.keepAlive,
                mayBeZero: true
            ),
            Entry("longest-load", .milliseconds, "maximum timeout that a caller can set for a load", \.longestLoad),
            Entry("drain", .milliseconds, "time for running loads when the broker ends", \.drain, mayBeZero: true),
            Entry(
                "idle-exit",
                .milliseconds,
                "time without connections after which the broker ends; 0: never",
                \.idleExit,
                mayBeZero: true
            ),
            Entry("connections", .count, "connections of all processes", \.connections),
            Entry("connections-per-process", .count, "connections of one process", \.connectionsPerProcess),
            Entry("loads-per-connection", .count, "concurrent loads of one connection", \.loadsPerConnection),
            Entry("asks-per-source", .count, "concurrent requests to one source", \.asksPerSource),
            Entry("waiting-per-source", .count, "loads that wait for one source", \.waitingPerSource, mayBeZero: true),
            Entry("boards", .count, "named pasteboards", \.boards, mayBeZero: true),
            Entry("objects", .count, "items, representations and loads of all processes", \.objects),
            Entry("metadata", .bytes, "names and types of all processes", \.metadata),
            Entry("metadata-per-publication", .bytes, "names and types of one write", \.metadataPerPublication),
            Entry("metadata-per-session", .bytes, "names and types of one drag session", \.metadataPerSession),
            Entry("proposal", .milliseconds, "time for a destination to answer with a proposal", \.proposal),
            Entry("drop-window", .milliseconds, "time from a drop to its first load or progress report", \.dropWindow),
            Entry("conclude", .milliseconds, "time from the last load of a drop to its confirmation", \.conclude),
            Entry(
                "session",
                .milliseconds,
                "time from a drag's start to its drop; then time without progress",
                \.session
            ),
            Entry("sessions", .count, "drag sessions of all processes", \.sessions, mayBeZero: true),
            Entry(
                "sessions-per-process",
                .count,
                "drag sessions of one process",
                \.sessionsPerProcess,
                mayBeZero: true
            ),
            Entry("destinations", .count, "registered destinations of all processes", \.destinations, mayBeZero: true),
            Entry(
                "destinations-per-process",
                .count,
                "registered destinations of one process",
                \.destinationsPerProcess,
                mayBeZero: true
            ),
            Entry("watches", .count, "watches of pasteboards by all processes", \.watches, mayBeZero: true),
            Entry(
                "watches-per-process",
                .count,
                "watches of pasteboards by one process",
                \.watchesPerProcess,
                mayBeZero: true
            ),
            Entry(
                "control-queue",
                .bytes,
                "control frames caused by others and not yet read by one peer",
                \.controlQueue
            ),
            Entry("control-pool", .bytes, "control frames and partial frames queued for all peers", \.controlPool),
            Entry("transfer-pool", .bytes, "bytes in transfer of all loads", \.transferPool),
            Entry("kept-pool", .bytes, "bytes kept for all pasteboards", \.keptPool, mayBeZero: true),
            Entry(
                "kept-representations",
                .count,
                "kept representations, each a descriptor",
                \.keptRepresentations,
                mayBeZero: true
            ),
            Entry(
                "kept-on-disk",
                .bytes,
                "kept bytes that survive a restart of the machine; 0: none",
                \.keptOnDisk,
                mayBeZero: true
            ),
            Entry(
                "passed-descriptors",
                .count,
                "descriptors in transfer; more loads are sent inline",
                \.passedDescriptors,
                mayBeZero: true
            ),
        ]
    }

    /// Limits of the protocol, which cannot be set. They affect programs, so they are shown with the others.
    package static let fixed: [(name: String, value: Int, meaning: String)] = [
        ("items", WireLimits.items, "items of one pasteboard or drag session"),
        ("representations", WireLimits.representations, "representations of one item"),
    ]

    /// Sets one limit from `NAME=VALUE`. The value is a number, for sizes also with KiB, MiB or GiB, for times with ms,
    /// s, m or h.
    package mutating func set(_ assignment: String) throws(Failure) {
        let parts = assignment.split(separator: "=", maxSplits: 1).map(\.trimmed)
        guard parts.count == 2 else {
            throw Failure(.invalidArgument, "invalid limit '\(assignment)'; write NAME=VALUE")
        }
        if let fixed = Self.fixed.first(where: { $0.name == parts[0] }) {
            throw Failure(
                .invalidArgument,
                "cannot set limit \(fixed.name): the protocol fixes it at \(fixed.value); put more into a directory or an archive"
            )
        }
        guard let entry = Self.entries.first(where: { $0.name == parts[0] }) else {
            let names = Self.entries.map(\.name).joined(separator: ", ")
            throw Failure(.invalidArgument, "unknown limit '\(parts[0])'; the limits are: \(names)")
        }
        guard let value = entry.unit.value(of: parts[1]) else {
            throw Failure(
                .invalidArgument,
                "invalid value '\(parts[1])' for limit \(entry.name); write \(entry.unit.forms)"
            )
        }
        guard value > 0 || entry.mayBeZero else {
            let text = "limit \(entry.name) must be at least 1; it is the \(entry.meaning)"
            throw Failure(.invalidArgument, text)
        }
        self[keyPath: entry.path] = value
    }
}

extension BrokerLimits.Entry {
    fileprivate init(
        _ name: String,
        _ unit: BrokerLimits.Unit,
        _ meaning: String,
        _ path: any WritableKeyPath<BrokerLimits, UInt64> & Sendable,
        mayBeZero: Bool = false
    ) {
        self.name = name
        self.unit = unit
        self.meaning = meaning
        self.path = path
        self.mayBeZero = mayBeZero
    }
}

extension BrokerLimits.Unit {
    /// The value of a number with a unit, `1.5MiB`, or `1.5 MiB` as the programs print it. A whole number needs no
    /// unit, unless it is a time.
    fileprivate func value(of text: String) -> UInt64? {
        // Other options count seconds, so a number alone would be ambiguous.
        if let value = UInt64(text) { return self == .milliseconds && value > 0 ? nil : value }
        return switch self {
        case .milliseconds: Quantity.value(of: text, in: Quantity.times)
        case .bytes: Quantity.value(of: text, in: Quantity.sizes)
        case .count: nil
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let start = self.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(start[...$0]) } ?? ""
    }
}
