import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// An open file that a handler has given: its descriptor is handed over, or it is read where none is welcome.
struct SourceFile: Sendable {
    let descriptor: DescriptorBox
    let byteCount: UInt64

    /// Opens a handler's file. This may take as long as its file system takes to answer.
    init(opening url: URL) throws(PasteboardError) {
        guard url.isFileURL else { throw Self.failure("\(url) is not the URL of a file") }
        let path = url.path
        do {
            // Not a device or pipe, to open which could wait for ever: opened without waiting, and looked at.
            let file = DescriptorBox(try System.open(path, .nonBlocking))
            let status = try System.status(of: file.raw)
            guard status.kind == .regular else { throw Self.failure("\(path) is a \(status.kind), not a file") }
            descriptor = file
            byteCount = status.size
        } catch let error as PasteboardError {
            throw error
        } catch {
            throw Self.failure("the file of the representation cannot be opened: \(error)")
        }
    }

    init(_ memory: SharedMemory) {
        descriptor = memory.file.descriptor
        byteCount = UInt64(memory.byteCount)
    }

    /// The next bytes from `offset` on, at most one data frame of them.
    func piece(at offset: UInt64) throws(PasteboardError) -> Data {
        let count = Int(clamping: min(UInt64(WireLimits.dataLength), byteCount - min(offset, byteCount)))
        do throws(SystemError) {
            var data = Data()
            while data.count < count {
                let piece = try [UInt8](capacity: count - data.count) { (output) throws(SystemError) in
                    _ = try System.read(descriptor.raw, at: offset + UInt64(data.count), into: &output)
                }
                if piece.isEmpty { throw SystemError(call: "pread", errno: 0) }
                data.append(contentsOf: piece)
            }
            return data
        } catch {
            let why = error.errno == 0 ? "was shortened while it was read" : "cannot be read: \(error.reason)"
            throw Self.failure("the file of the representation \(why)")
        }
    }

    func contents() throws(PasteboardError) -> Data {
        var data = Data()
        while UInt64(data.count) < byteCount { data.append(try piece(at: UInt64(data.count))) }
        return data
    }

    private static func failure(_ text: String) -> PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: text,
            sourceError: .init(domain: PasteboardError.domain, code: -2, message: text)
        )
    }
}
