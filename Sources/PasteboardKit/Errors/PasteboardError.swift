public import FoundationEssentials

/// Every failure of this library: a code to switch on, and a message for people.
public struct PasteboardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a source's handler failed with. Its class does not cross between processes; these three do.
    public struct SourceError: Sendable, Hashable {
        /// Whose codes these are: the name of the error's type, as a rule.
        public let domain: String
        /// The error's number within its domain.
        public let code: Int
        /// The text of the source's error. For a `LocalizedError` it is the `errorDescription`, or the `failureReason`
        /// if there is none; for an `NSError` it is the localized description; for any other error it is the
        /// `description`.
        ///
        /// An error from another process names the files of this library's, the system's and Foundation's errors
        /// without their directories. In a text that the program has written itself, paths below the usual directories
        /// (`/home`, `/tmp` …) are shortened to their last component as far as they are recognized.
        public let message: String

        /// Makes the description of an error.
        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }

    /// Why it failed.
    public let code: Code
    /// What failed, on what, why, and what to do about it, in one line.
    public let message: String
    /// The source's own error; given with ``Code/sourceFailed`` only.
    public let sourceError: SourceError?

    /// Makes an error.
    public init(_ code: Code, message: String, sourceError: SourceError? = nil) {
        self.code = code
        self.message = message
        self.sourceError = sourceError
    }

    /// The message.
    public var description: String { message }
}

extension PasteboardError: LocalizedError {
    /// The message, for programs that show `localizedDescription`.
    public var errorDescription: String? { message }
}
