import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The origin of the bytes of a promised representation.
enum AskOrigin {
    /// The output of `sh -c`.
    case command(SystemString, type: String)
    case input(InputBytes)
}

extension ServedProgram {
    /// Starts the program whose output the representation is.
    convenience init(
        _ origin: AskOrigin,
        _ ask: UInt64,
        _ record: AskRecord,
        reportInterval: Int
    ) throws {
        switch origin {
        case .command(let command, let type):
            try self.init(
                ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", command]),
                named: "the command for \(type)",
                ask: ask,
                record: record,
                complaint: .last,
                reportInterval: reportInterval
            )
        case .input(let input):
            guard let folder = input.folder else {
                throw Failure(.sourceFailed, "\(input.lastName) is not a folder")
            }
            try self.init(
                try folder.archiver(),
                named: "archiving \(input.lastName)",
                ask: ask,
                record: record,
                complaint: .first,
                reportInterval: reportInterval
            )
        }
    }
}
