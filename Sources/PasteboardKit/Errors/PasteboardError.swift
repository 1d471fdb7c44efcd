public import FoundationEssentials
import PasteboardWire

/// The error of every failure in this library: a code to switch on, and a message for people.
public struct PasteboardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error of a source's handler. Its domain, code and message reach another process; its type does not.
    public struct SourceError: Sendable, Hashable {
        /// The domain of the code: usually the name of the error's type.
        public let domain: String
        /// The error's number within its domain.
        public let code: Int
        /// The text of the source's error. For a `LocalizedError` it is the `errorDescription`, or the `failureReason`
        /// if there is none; for an `NSError` it is the localized description; for any other error it is the
        /// `description`.
        ///
        /// Errors of this library, of the system and of Foundation name a file by its last component. A text of the
        /// program itself passes unchanged.
        public let message: String

        /// Makes the description of an error.
        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }

    /// The reason for the failure.
    public let code: Code
    /// One line that says what failed, on what, why, and what to do about it.
    public let message: String
    /// The source's own error; present only with ``Code/sourceFailed``.
    public let sourceError: SourceError?
    /// The message for a destination, if a handler throws the error: it names files by their last components. nil if
    /// that is `message`.
    var shortMessage: String?

    /// Makes an error.
    public init(_ code: Code, message: String, sourceError: SourceError? = nil) {
        self.code = code
        self.message = message
        self.sourceError = sourceError
    }

    /// The message, without characters that would change a terminal.
    public var description: String { message.printable }
}

extension PasteboardError: LocalizedError {
    /// The description, for programs that show `localizedDescription`.
    public var errorDescription: String? { description }
}
