import Glibc
package import PasteboardWire

/// A failed call of the operating system.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: StaticString
    package let errno: CInt
    /// The path, name or number to which the call referred, if it helps the reader.
    package let subject: String?

    package init(call: StaticString, errno: CInt, subject: String? = nil) {
        self.call = call
        self.errno = errno
        self.subject = subject
    }

    /// The system's text for the error number.
    package var reason: String {
        // glibc stores the text of an unknown number in thread-local storage. All other texts are constant.
        String(cString: strerror(errno))
    }

    package var description: String {
        guard let subject else { return "\(call): \(reason)" }
        return "\(call) \(subject): \(reason)"
    }

    /// The error for another process: a path is shortened to its last component, even if it contains spaces.
    package var withoutDirectory: SystemError {
        guard let subject, subject.hasPrefix("/"), let name = SystemString(subject).lastComponent else { return self }
        return SystemError(call: call, errno: errno, subject: name.description)
    }

    /// The error code if a resource has run out: `noSpace` for memory and disk, `limitExceeded` for descriptors; nil
    /// for every other error.
    package var shortage: ErrorCode? {
        switch errno {
        case ENOMEM, ENOSPC, EDQUOT, EFBIG: .noSpace
        case EMFILE, ENFILE: .limitExceeded
        default: nil
        }
    }

    /// Whether a file of the new name exists already.
    package var isTaken: Bool { errno == EEXIST }

    /// Whether no file of this name exists.
    package var isMissing: Bool { errno == ENOENT }

    package var isNotEmpty: Bool { errno == ENOTEMPTY }

    /// Whether a rename failed because the two names are on different file systems.
    package var isAcrossDisks: Bool { errno == EXDEV }

    package static func == (left: SystemError, right: SystemError) -> Bool {
        left.errno == right.errno && left.subject == right.subject && left.call.description == right.call.description
    }
}
