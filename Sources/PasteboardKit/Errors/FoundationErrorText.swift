import FoundationEssentials
import PasteboardTransport

/// The text and code of Foundation's errors, whose own description is not meant for users.
struct FoundationErrorText {
    let domain: String
    let code: Int
    let text: String

    /// Nil for an error that describes itself.
    init?(_ error: any Error) {
        switch error {
        case let error as CocoaError:
            let reason = Self.reasons[error.code] ?? "an operation failed"
            // Only the last component: another process may read the error, and must not learn the directory.
            let path = error.filePath.map { URL(filePath: $0) } ?? error.url
            let name = path.map { ": \($0.lastPathComponent)" } ?? ""
            let cause = error.underlying.flatMap(Self.init).map { " (\($0.text))" } ?? ""
            self.domain = "NSCocoaErrorDomain"
            self.code = error.code.rawValue
            self.text = "\(reason)\(name)\(cause)"
        case let error as POSIXError:
            // The C library's own property would need an import of it.
            let number = (error.code as any RawRepresentable<CInt>).rawValue
            self.domain = "NSPOSIXErrorDomain"
            self.code = Int(number)
            self.text = SystemError(call: "", errno: number).reason
        default:
            return nil
        }
    }

    /// FoundationEssentials has no names for the errors of coders.
    private static let reasons: [CocoaError.Code: String] = [
        .fileNoSuchFile: "there is no such file",
        .fileReadNoSuchFile: "there is no such file",
        .fileReadNoPermission: "the file may not be read",
        .fileReadCorruptFile: "the file is damaged",
        .fileReadTooLarge: "the file is too large",
        .fileReadUnknown: "the file cannot be read",
        .fileReadInapplicableStringEncoding: "the file's text has another encoding",
        .fileWriteNoPermission: "the file may not be written",
        .fileWriteFileExists: "there is a file of that name already",
        .fileWriteOutOfSpace: "the disk is full",
        .fileWriteUnknown: "the file cannot be written",
        .fileWriteVolumeReadOnly: "the file system is read-only",
        .init(rawValue: 4864): "the data cannot be decoded",
        .init(rawValue: 4865): "a value is missing",
        .propertyListReadCorrupt: "the property list is damaged",
        .userCancelled: "the user cancelled",
    ]
}
