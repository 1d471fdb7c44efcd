import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The origin of the bytes of a promised representation.
enum AskOrigin {
    /// The output of `sh -c`.
    case command(SystemString, type: String)
    case input(InputBytes)

    /// The file, folder or standard input; nil for a command.
    var input: InputBytes? {
        if case .input(let input) = self { input } else { nil }
    }

    /// The program whose output the representation is.
    func program() throws -> ServedProgram.Configuration {
        switch self {
        case .command(let command, let type):
            return ServedProgram.Configuration(
                process: ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", command]),
                name: "the command for \(type)",
                complaint: .last
            )
        case .input(let input):
            guard let folder = input.folder else {
                throw Failure(.sourceFailed, "\(input.lastName) is not a folder")
            }
            return ServedProgram.Configuration(
                process: try folder.archiver(),
                name: "archiving \(input.lastName)",
                complaint: .first
            )
        }
    }
}
