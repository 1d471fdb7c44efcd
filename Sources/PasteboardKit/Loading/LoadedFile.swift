import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file of our own, in a directory of its own that nobody else may enter, for what is loaded; both go with it.
final class LoadedFile: Sendable {
    /// Moved at once: a bound, so that a cancelled load does not go on for long.
    private static let moved: UInt64 = 16 << 20

    let path: String
    private let directory: String
    private let descriptor: DescriptorBox

    var url: URL { URL(filePath: path) }

    init(_ name: SafeFileName) throws(PasteboardError) {
        do throws(SystemError) {
            let temporary = System.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
            let digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
            directory = "\(temporary)/pasteboard-\(digits)"
            try System.makeDirectory(directory)
            path = "\(directory)/\(name.candidate(1))"
            do throws(SystemError) {
                descriptor = DescriptorBox(try System.open(path, [.writing, .exclusive, .notFollowingLinks]))
            } catch {
                try? System.removeDirectory(directory)
                throw error
            }
        } catch {
            throw Self.failure("cannot make a file for what is loaded", error)
        }
    }

    deinit {
        // Whoever was handed the file may have moved it away.
        try? System.unlink(path)
        try? System.removeDirectory(directory)
    }

    func append(_ data: Data) throws(PasteboardError) {
        do {
            try System.write(data.span, to: descriptor.raw)
        } catch {
            throw Self.failure("cannot write what is loaded", error)
        }
    }

    /// Copies what came as a descriptor, inside the kernel where it can.
    func fill(from file: PassedFile, isCancelled: () -> Bool) throws(PasteboardError) {
        var offset: UInt64 = 0
        while offset < file.byteCount {
            guard !Task.isCancelled, !isCancelled() else { throw .cancelled }
            let count = Int(clamping: min(Self.moved, file.byteCount - offset))
            do {
                switch try System.sendFile(file.descriptor.raw, at: offset, to: descriptor.raw, count: count) {
                case .count(0): throw file.truncated(at: offset)
                case .count(let count): offset += UInt64(count)
                case .blocked, .unsupported:
                    let piece = try file.piece(at: offset)
                    try append(piece)
                    offset += UInt64(piece.count)
                }
            } catch let failure as Failure {
                throw PasteboardError(failure)
            } catch let error as PasteboardError {
                throw error
            } catch {
                throw Self.failure("cannot write what is loaded", error)
            }
        }
    }

    private static func failure(_ what: String, _ error: any Error) -> PasteboardError {
        let isShortage = (error as? SystemError)?.isShortage ?? false
        return PasteboardError(isShortage ? .noSpace : .refused, message: "\(what): \(error)")
    }
}

extension ByteChunks {
    /// Writes all of them; they can be read only once.
    func write(to output: LoadedFile) async throws(PasteboardError) {
        let reader = source.makeReader()
        if let file = reader.file {
            try output.fill(from: file) { reader.isCancelled }
            reader.finish()
            return
        }
        while let chunk = try await reader.next() { try output.append(chunk) }
    }
}
