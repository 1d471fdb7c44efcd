import PasteboardWire

extension PasteboardError {
    /// Why something failed. The numbers are the protocol's; a newer broker may send one that has no name here.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Whether an error of any type is a ``PasteboardError`` with this code. It makes a code a pattern:
        /// `catch PasteboardError.Code.cancelled`. Close the `do` with a clause for all other errors: the compiler of Swift
        /// 6.3 may crash on one without it.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? PasteboardError)?.code == code
        }

        /// The number, as the protocol has it.
        public let rawValue: UInt32

        /// Makes the code of a number.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The protocol's name of the code, for example `source-gone`.
        public var description: String { ErrorCode(rawValue: rawValue).description }

        /// The pasteboard is empty, or has no such item.
        public static let nothingHere = Code(rawValue: 1)
        /// The item cannot be had as this type; the message names the types there are.
        public static let typeUnavailable = Code(rawValue: 2)
        /// The contents this was about have been replaced.
        public static let superseded = Code(rawValue: 3)
        /// The process that promised the bytes has ended.
        public static let sourceGone = Code(rawValue: 4)
        /// The source's handler failed; ``PasteboardError/sourceError`` tells with what.
        public static let sourceFailed = Code(rawValue: 5)
        /// The source was asked and neither gave bytes nor reported progress in time.
        public static let sourceStalled = Code(rawValue: 6)
        /// The source ended before it had given all the bytes it had announced.
        public static let sourceTruncated = Code(rawValue: 7)
        /// The process that the bytes were for has ended.
        public static let destinationGone = Code(rawValue: 8)
        /// The process that the bytes were for did not take them in time.
        public static let destinationStalled = Code(rawValue: 9)
        /// The task, or the load's progress, was cancelled.
        public static let cancelled = Code(rawValue: 10)
        /// The time that the caller gave is over.
        public static let timeout = Code(rawValue: 11)
        /// There are more bytes than allowed.
        public static let tooLarge = Code(rawValue: 12)
        /// A limit of the broker, or the system's limit of open files, is reached; the message names it.
        public static let limitExceeded = Code(rawValue: 13)
        /// The broker has no room to keep the bytes.
        public static let noSpace = Code(rawValue: 14)
        /// This process may not do that.
        public static let notPermitted = Code(rawValue: 15)
        /// Loads are not possible at this time, in a drag session that has not been dropped, say.
        public static let notLoadableNow = Code(rawValue: 16)
        /// The contents are concealed.
        public static let concealed = Code(rawValue: 17)
        /// The other side refused.
        public static let refused = Code(rawValue: 18)
        /// An argument is not valid; the message says which and why.
        public static let invalidArgument = Code(rawValue: 19)
        /// The other side broke the protocol.
        public static let protocolViolation = Code(rawValue: 20)
        /// The two sides have no version of the protocol, or of a feature, in common.
        public static let versionMismatch = Code(rawValue: 21)
        /// There is no broker to be reached, and none could be started.
        public static let brokerUnavailable = Code(rawValue: 22)
        /// The broker ended while this was under way; the next call finds its successor.
        public static let brokerRestarted = Code(rawValue: 23)
        /// The link to another machine is down.
        public static let linkDown = Code(rawValue: 24)
    }
}
