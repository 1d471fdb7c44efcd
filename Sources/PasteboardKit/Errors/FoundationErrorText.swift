import FoundationEssentials
import PasteboardTransport

/// The domain, code and text of an error of Foundation or an `NSError`, whose own description is not meant for users.
struct FoundationErrorText {
    let domain: String
    let code: Int
    let text: String

    /// Nil for an error that describes itself.
    init?(_ thrown: any Error) {
        // `URLError` and its like wrap an NSError. FoundationEssentials has no other access to its user info.
        let error = Mirror(reflecting: thrown).descendant("_nsError") as? any Error ?? thrown
        switch error {
        case is any LocalizedError:
            return nil
        case let cocoa as CocoaError:
            // With Foundation in the process, an NSError of any domain can be cast to CocoaError. Only the error itself
            // knows its domain, and only the cast provides access to the user info.
            let isNSError = type(of: error) is AnyClass
            let domain = isNSError ? error._domain : "NSCocoaErrorDomain"
            let code = isNSError ? error._code : cocoa.code.rawValue
            // Foundation describes an NSError without a text as "(null)".
            let number = "\(error)".hasSuffix("\"(null)\"") ? "error \(code) of \(domain)" : nil
            let known = Self.text(of: cocoa, domain: domain, code: code)
            guard let text = Self.ownText(of: cocoa) ?? known ?? number else { return nil }
            self.domain = domain
            self.code = code
            self.text = text
        case let error as POSIXError:
            // The C library's own property would need an import of the C library.
            let number = (error.code as any RawRepresentable<CInt>).rawValue
            self.domain = "NSPOSIXErrorDomain"
            self.code = Int(number)
            self.text = SystemError(call: "", errno: number).reason
        default:
            return nil
        }
    }

    /// The user-facing text that the program has set in the error.
    private static func ownText(of error: CocoaError) -> String? {
        let texts = ["NSLocalizedDescription", "NSLocalizedFailureReason"].lazy.compactMap { key in
            error.userInfo[key] as? String
        }
        return texts.first { !$0.isEmpty }
    }

    private static func text(of error: CocoaError, domain: String, code: Int) -> String? {
        switch domain {
        case "NSCocoaErrorDomain":
            let reason = self.reasons[error.code] ?? "an operation failed"
            // Only the last component: another process may read the error, and must not learn the directory.
            let path = error.filePath.map { URL(filePath: $0) } ?? error.url
            let name = path.map { ": \($0.lastPathComponent)" } ?? ""
            let cause = error.underlying.flatMap(Self.init).map { " (\($0.text))" } ?? ""
            return "\(reason)\(name)\(cause)"
        case "NSPOSIXErrorDomain":
            return CInt(exactly: code).map { SystemError(call: "", errno: $0).reason }
        case "NSURLErrorDomain":
            return [-1001: "the request timed out", -1003: "the host was not found", -1009: "there is no network"][code]
        default:
            return nil
        }
    }

    /// The texts of Cocoa errors. FoundationEssentials has no names for the errors of coders.
    private static let reasons: [CocoaError.Code: String] = [
        .fileNoSuchFile: "there is no such file",
        .fileReadNoSuchFile: "there is no such file",
        .fileReadNoPermission: "the file may not be read",
        .fileReadCorruptFile: "the file is damaged",
        .fileReadTooLarge: "the file is too large",
        .fileReadUnknown: "the file cannot be read",
        .fileReadInapplicableStringEncoding: "the file's text has another encoding",
        .fileWriteNoPermission: "the file may not be written",
        .fileWriteFileExists: "a file of that name already exists",
        .fileWriteOutOfSpace: "the disk is full",
        .fileWriteUnknown: "the file cannot be written",
        .fileWriteVolumeReadOnly: "the file system is read-only",
        .init(rawValue: 4864): "the data cannot be decoded",
        .init(rawValue: 4865): "a value is missing",
        .propertyListReadCorrupt: "the property list is damaged",
        .userCancelled: "the user cancelled",
    ]
}
