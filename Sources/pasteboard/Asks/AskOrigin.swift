import PasteboardClient
import PasteboardTransport

/// The origin of the bytes of a representation.
enum AskOrigin {
    /// The output of `sh -c`.
    case command(SystemString, type: String)
    case input(InputBytes)

    /// The file, folder or standard input; nil for a command.
    var input: InputBytes? {
        if case .input(let input) = self { input } else { nil }
    }

    /// The origin of the bytes of each ask for a promised representation; nil for an input that can be read once.
    var promised: PromisedOrigin? {
        switch self {
        case .command(let command, let type): .command(command, type: type)
        case .input(let input):
            if let folder = input.folder {
                .folder(folder.opened, name: input.lastName)
            } else {
                input.file.map { .file(PromisedFile($0, input)) }
            }
        }
    }
}

/// The origin of the bytes of a promised representation, which are made or read for each ask.
enum PromisedOrigin: Sendable {
    case command(SystemString, type: String)
    case file(PromisedFile)
    case folder(OpenedFolder, name: String)
    /// The output of `sh -c`, which archives a folder.
    case archive(SystemString, name: String)

    /// The name of the folder whose archive it is; nil for other bytes.
    var folderName: String? {
        switch self {
        case .folder(let folder, _): folder.name.description
        case .archive(_, let name): name
        case .command, .file: nil
        }
    }
}
