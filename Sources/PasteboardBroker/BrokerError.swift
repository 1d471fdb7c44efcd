/// The reason why a broker cannot serve.
public struct BrokerError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Another broker uses the socket.
        public static let alreadyRunning = Code(description: "alreadyRunning")
        /// An argument is invalid: a path or a limit, or a broker that has run already.
        public static let invalidArgument = Code(description: "invalidArgument")
        /// The socket cannot be opened or served. The message contains the reason.
        public static let unavailable = Code(description: "unavailable")
    }

    /// The kind of the failure.
    public let code: Code
    /// The message: the failure, its subject and its reason, in one line.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
