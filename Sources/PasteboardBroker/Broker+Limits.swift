import BrokerLoop
import BrokerState
import PasteboardWire

extension Broker {
    /// The limits of a broker, except `kept-on-disk`, which has no effect in a program. Each has the default that
    /// `pasteboard limits` shows.
    ///
    ///     var limits = Broker.Limits()
    ///     limits.firstByteTime = .seconds(5)
    ///
    /// The properties accept every value, and times are rounded up to whole milliseconds. A broker with a negative
    /// limit, or with 0 for a limit that has to be above it, cannot be made: ``Broker/init(socketPath:limits:log:)``
    /// throws `invalidArgument`.
    public struct Limits: Sendable, Equatable {
        private(set) var values = BrokerLimits.standard
        /// The names of the limits that were set to a negative value, which `values` cannot contain.
        private var negative: Set<String> = []

        /// Makes the default limits.
        public init() {}

        /// Makes limits from text, as a configuration file contains it.
        ///
        /// - Parameter values: values by the names that `pasteboard limits` shows: `["first-byte": "5s"]`. Times are
        ///   written as `500ms`, `5s`, `2m`, sizes as `64KiB`, `10MiB`.
        /// - Throws: `invalidArgument` for an unknown name, which lists all names, or an invalid value.
        public init(_ values: [String: String]) throws(BrokerError) {
            do throws(Failure) {
                for (name, value) in values { try self.values.set("\(name)=\(value)") }
            } catch {
                throw BrokerError(.invalidArgument, error.text)
            }
        }

        /// The limit `hello`: time from connecting to a complete hello.
        public var helloTime: Duration {
            get { time(\.hello) }
            set { set(\.hello, newValue) }
        }

        /// The limit `first-byte`: time from a request to the source's first bytes or progress.
        public var firstByteTime: Duration {
            get { time(\.firstByte) }
            set { set(\.firstByte, newValue) }
        }

        /// The limit `progress`: time without progress of a source, or of a destination that blocks others; while
        /// others wait: for 16 KiB.
        public var progressTime: Duration {
            get { time(\.progress) }
            set { set(\.progress, newValue) }
        }

        /// The limit `keep-alive`: time for which progress reports alone extend a load.
        public var keepAliveTime: Duration {
            get { time(\.keepAlive) }
            set { set(\.keepAlive, newValue) }
        }

        /// The limit `longest-load`: maximum timeout that a caller can set for a load.
        public var longestLoadTime: Duration {
            get { time(\.longestLoad) }
            set { set(\.longestLoad, newValue) }
        }

        /// The limit `drain`: time for running loads when the broker ends.
        public var drainTime: Duration {
            get { time(\.drain) }
            set { set(\.drain, newValue) }
        }

        /// The limit `idle-exit`: time without connections after which the broker ends; 0: never.
        public var idleExitTime: Duration {
            get { time(\.idleExit) }
            set { set(\.idleExit, newValue) }
        }

        /// The limit `connections`: connections of all processes.
        public var connectionCount: Int {
            get { number(\.connections) }
            set { set(\.connections, newValue) }
        }

        /// The limit `connections-per-process`: connections of one process.
        public var connectionCountPerProcess: Int {
            get { number(\.connectionsPerProcess) }
            set { set(\.connectionsPerProcess, newValue) }
        }

        /// The limit `loads-per-connection`: concurrent loads of one connection.
        public var loadCountPerConnection: Int {
            get { number(\.loadsPerConnection) }
            set { set(\.loadsPerConnection, newValue) }
        }

        /// The limit `asks-per-source`: concurrent requests to one source.
        public var askCountPerSource: Int {
            get { number(\.asksPerSource) }
            set { set(\.asksPerSource, newValue) }
        }

        /// The limit `waiting-per-source`: loads that wait for one source.
        public var waitingCountPerSource: Int {
            get { number(\.waitingPerSource) }
            set { set(\.waitingPerSource, newValue) }
        }

        /// The limit `boards`: named pasteboards.
        public var boardCount: Int {
            get { number(\.boards) }
            set { set(\.boards, newValue) }
        }

        /// The limit `objects`: items, representations and loads of all processes.
        public var objectCount: Int {
            get { number(\.objects) }
            set { set(\.objects, newValue) }
        }

        /// The limit `metadata`, in bytes: names and types of all processes.
        public var metadataBytes: Int {
            get { number(\.metadata) }
            set { set(\.metadata, newValue) }
        }

        /// The limit `metadata-per-publication`, in bytes: names and types of one write.
        public var metadataBytesPerPublication: Int {
            get { number(\.metadataPerPublication) }
            set { set(\.metadataPerPublication, newValue) }
        }

        /// The limit `metadata-per-session`, in bytes: names and types of one drag session.
        public var metadataBytesPerSession: Int {
            get { number(\.metadataPerSession) }
            set { set(\.metadataPerSession, newValue) }
        }

        /// The limit `proposal`: time for a destination to answer with a proposal.
        public var proposalTime: Duration {
            get { time(\.proposal) }
            set { set(\.proposal, newValue) }
        }

        /// The limit `drop-window`: time from a drop to its first load or progress report.
        public var dropWindowTime: Duration {
            get { time(\.dropWindow) }
            set { set(\.dropWindow, newValue) }
        }

        /// The limit `conclude`: time from the last load of a drop to its confirmation.
        public var concludeTime: Duration {
            get { time(\.conclude) }
            set { set(\.conclude, newValue) }
        }

        /// The limit `session`: time from a drag's start to its drop; then time without progress.
        public var sessionTime: Duration {
            get { time(\.session) }
            set { set(\.session, newValue) }
        }

        /// The limit `sessions`: drag sessions of all processes.
        public var sessionCount: Int {
            get { number(\.sessions) }
            set { set(\.sessions, newValue) }
        }

        /// The limit `sessions-per-process`: drag sessions of one process.
        public var sessionCountPerProcess: Int {
            get { number(\.sessionsPerProcess) }
            set { set(\.sessionsPerProcess, newValue) }
        }

        /// The limit `destinations`: registered destinations of all processes.
        public var destinationCount: Int {
            get { number(\.destinations) }
            set { set(\.destinations, newValue) }
        }

        /// The limit `destinations-per-process`: registered destinations of one process.
        public var destinationCountPerProcess: Int {
            get { number(\.destinationsPerProcess) }
            set { set(\.destinationsPerProcess, newValue) }
        }

        /// The limit `watches`: watches of pasteboards by all processes.
        public var watchCount: Int {
            get { number(\.watches) }
            set { set(\.watches, newValue) }
        }

        /// The limit `watches-per-process`: watches of pasteboards by one process.
        public var watchCountPerProcess: Int {
            get { number(\.watchesPerProcess) }
            set { set(\.watchesPerProcess, newValue) }
        }

        /// The limit `control-queue`, in bytes: control frames caused by others and not yet read by one peer.
        public var controlQueueBytes: Int {
            get { number(\.controlQueue) }
            set { set(\.controlQueue, newValue) }
        }

        /// The limit `control-pool`, in bytes: control frames and partial frames queued for all peers.
        public var controlPoolBytes: Int {
            get { number(\.controlPool) }
            set { set(\.controlPool, newValue) }
        }

        /// The limit `transfer-pool`, in bytes: bytes in transfer of all loads.
        public var transferPoolBytes: Int {
            get { number(\.transferPool) }
            set { set(\.transferPool, newValue) }
        }

        /// The limit `kept-pool`, in bytes: bytes kept for all pasteboards.
        public var keptPoolBytes: Int {
            get { number(\.keptPool) }
            set { set(\.keptPool, newValue) }
        }

        /// The limit `kept-representations`: kept representations, each a descriptor.
        public var keptRepresentationCount: Int {
            get { number(\.keptRepresentations) }
            set { set(\.keptRepresentations, newValue) }
        }

        /// The limit `passed-descriptors`: descriptors in transfer; more loads are sent inline.
        public var passedDescriptorCount: Int {
            get { number(\.passedDescriptors) }
            set { set(\.passedDescriptors, newValue) }
        }

        private func time(_ path: KeyPath<BrokerLimits, UInt64>) -> Duration {
            .milliseconds(Int64(clamping: values[keyPath: path]))
        }

        private func number(_ path: KeyPath<BrokerLimits, UInt64>) -> Int {
            Int(clamping: values[keyPath: path])
        }

        private mutating func set(_ path: WritableKeyPath<BrokerLimits, UInt64>, _ time: Duration) {
            let (seconds, attoseconds) = max(time, .zero).components
            // Rounded up: a short time must not become 0, which has another meaning.
            let milliseconds = UInt64(clamping: (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
            values[keyPath: path] = min(UInt64(clamping: seconds), .max / 1_000 - 1) * 1_000 + milliseconds
            record(path, isNegative: time < .zero)
        }

        private mutating func set(_ path: WritableKeyPath<BrokerLimits, UInt64>, _ number: Int) {
            values[keyPath: path] = UInt64(clamping: number)
            record(path, isNegative: number < 0)
        }

        private mutating func record(_ path: WritableKeyPath<BrokerLimits, UInt64>, isNegative: Bool) {
            for entry in BrokerLimits.entries where entry.path as AnyKeyPath == path {
                if isNegative { negative.insert(entry.name) } else { negative.remove(entry.name) }
            }
        }

        /// Checks all limits by the rules for their text form.
        ///
        /// - Throws: `invalidArgument` with the name of a limit whose value is invalid.
        func check() throws(BrokerError) {
            if let name = negative.min() {
                throw BrokerError(.invalidArgument, "limit \(name) cannot be negative")
            }
            var checked = values
            do throws(Failure) {
                for entry in BrokerLimits.entries {
                    let unit = entry.unit == .milliseconds ? "ms" : ""
                    try checked.set("\(entry.name)=\(values[keyPath: entry.path])\(unit)")
                }
            } catch {
                throw BrokerError(.invalidArgument, error.text)
            }
        }
    }
}
