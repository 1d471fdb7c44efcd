import FoundationEssentials
import PasteboardTransport

/// The result of a handler.
enum HandlerResult: Sendable {
    case data(Data)
    /// Bytes in a file, whose descriptor is passed if the destination accepts one; otherwise the bytes are read.
    case file(SourceFile)
    /// Bytes that are produced chunk by chunk.
    case chunks(any ChunkSource)

    /// The result with the path of its file, if it is a file.
    var located: HandlerResult {
        guard case .file(let file) = self else { return self }
        return .file(file.located)
    }

    /// Opens a handler's file or folder. This may take as long as its file system takes to answer.
    ///
    /// - Parameter room: an object that exists until the bytes of a folder have been read.
    init(opening url: URL, in room: (any AnyObject & Sendable)? = nil) throws(PasteboardError) {
        guard url.isFileURL else { throw PasteboardError.unavailable("\(url) is not the URL of a file") }
        do {
            // Opened without blocking, and examined afterwards: opening a pipe or device could block forever.
            let file = DescriptorBox(try System.open(url.path, .nonBlocking), closer: .shared)
            let status = try System.status(of: file.raw)
            switch status.kind {
            case .regular:
                self = .file(SourceFile(descriptor: file, byteCount: status.size, name: url.lastPathComponent))
            case .directory: self = .chunks(try FolderArchive(file, in: room))
            case let kind:
                throw PasteboardError.unavailable("\(url.lastPathComponent) is a \(kind), not a file or folder")
            }
        } catch let error as PasteboardError {
            throw error
        } catch {
            let error = (error as? SystemError)?.withoutDirectory ?? error
            throw PasteboardError.unavailable("the file of the representation cannot be opened: \(error)")
        }
    }
}
