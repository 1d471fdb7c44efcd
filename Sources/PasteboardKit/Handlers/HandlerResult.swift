import FoundationEssentials
import PasteboardTransport

/// What a handler has made.
enum HandlerResult: Sendable {
    case data(Data)
    /// In a file already, which is passed on where a descriptor is welcome, else read.
    case file(SourceFile)
    /// One chunk after the other.
    case chunks(any ChunkSource)

    /// With where its file lies, if it is one.
    var located: HandlerResult {
        guard case .file(let file) = self else { return self }
        return .file(file.located)
    }

    /// A handler's file or folder. This may take as long as its file system takes to answer.
    init(opening url: URL) throws(PasteboardError) {
        guard url.isFileURL else { throw SourceFile.failure("\(url) is not the URL of a file") }
        do {
            // Not a device or pipe, to open which could wait for ever: opened without waiting, and looked at.
            let file = DescriptorBox(try System.open(url.path, .nonBlocking), closer: .shared)
            let status = try System.status(of: file.raw)
            switch status.kind {
            case .regular:
                self = .file(SourceFile(descriptor: file, byteCount: status.size, name: url.lastPathComponent))
            case .directory: self = .chunks(try FolderArchive(file))
            case let kind: throw SourceFile.failure("\(url.lastPathComponent) is a \(kind), not a file or folder")
            }
        } catch let error as PasteboardError {
            throw error
        } catch {
            let error = (error as? SystemError)?.withoutDirectory ?? error
            throw SourceFile.failure("the file of the representation cannot be opened: \(error)")
        }
    }
}
