import PasteboardWire

extension PasteboardError {
    /// The reason for a failure. The numbers are those of the protocol; a newer broker may send a number that has no
    /// name here.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Whether an error of any type is a ``PasteboardError`` with this code. With it, a code is a pattern:
        /// `catch PasteboardError.Code.cancelled`. Close the `do` with a clause for all other errors: without one, the
        /// compiler of Swift 6.3 may crash.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? PasteboardError)?.code == code
        }

        /// The number of the code in the protocol.
        public let rawValue: UInt32

        /// Makes a code from its number.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The protocol's name of the code, for example `source-gone`.
        public var description: String { ErrorCode(rawValue: rawValue).description }

        /// The pasteboard is empty, or has no such item.
        public static let nothingHere = Code(rawValue: 1)
        /// The item is not available as this type; the message lists its types.
        public static let typeUnavailable = Code(rawValue: 2)
        /// The contents that the call referred to have been replaced.
        public static let superseded = Code(rawValue: 3)
        /// The process that promised the bytes has ended.
        public static let sourceGone = Code(rawValue: 4)
        /// The source's handler failed; ``PasteboardError/sourceError`` is its error.
        public static let sourceFailed = Code(rawValue: 5)
        /// The source neither provided bytes nor reported progress in time.
        public static let sourceStalled = Code(rawValue: 6)
        /// The source ended before it had provided all the bytes that it had announced.
        public static let sourceTruncated = Code(rawValue: 7)
        /// The process that loaded the bytes has ended.
        public static let destinationGone = Code(rawValue: 8)
        /// The process that loaded the bytes did not take them in time.
        public static let destinationStalled = Code(rawValue: 9)
        /// The task, or the load's progress, was cancelled.
        public static let cancelled = Code(rawValue: 10)
        /// The caller's timeout has expired.
        public static let timeout = Code(rawValue: 11)
        /// The number of bytes exceeds a maximum.
        public static let tooLarge = Code(rawValue: 12)
        /// A limit of the broker or the system's limit of open files has been reached; the message names it.
        public static let limitExceeded = Code(rawValue: 13)
        /// There is no space for the bytes: the broker's memory for kept bytes, the system's memory or a disk is full.
        public static let noSpace = Code(rawValue: 14)
        /// This process does not have the permission for the operation.
        public static let notPermitted = Code(rawValue: 15)
        /// The item cannot be loaded now: its drag session is not dropped, or its last permitted load is running.
        public static let notLoadableNow = Code(rawValue: 16)
        /// The contents are concealed: they cannot be loaded automatically or handed over.
        public static let concealed = Code(rawValue: 17)
        /// The other side refused.
        public static let refused = Code(rawValue: 18)
        /// An argument is not valid; the message names it and the reason.
        public static let invalidArgument = Code(rawValue: 19)
        /// The other side violated the protocol.
        public static let protocolViolation = Code(rawValue: 20)
        /// The two sides have no common version of the protocol or of a feature.
        public static let versionMismatch = Code(rawValue: 21)
        /// No broker can be reached, and none could be started.
        public static let brokerUnavailable = Code(rawValue: 22)
        /// The broker crashed or was replaced during the call; the next call connects to its successor.
        public static let brokerRestarted = Code(rawValue: 23)
        /// The link to another machine is down. Reserved: no error has this code yet.
        public static let linkDown = Code(rawValue: 24)
        /// The broker was stopped during the call, which was not carried out; the next call starts another one.
        public static let brokerStopped = Code(rawValue: 25)
    }
}
