import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The bytes of a folder: an archive of its tree, which the system's `tar` writes while the consumer reads. The names
/// in it begin with the folder's own name.
final class FolderArchive: ChunkSource {
    private enum Phase {
        case idle
        case running(SystemProgram, DescriptorBox)
        /// The archive has been read to its end.
        case ending(SystemProgram)
        case over
    }

    private let folder: OpenedFolder
    private let room: (any AnyObject & Sendable)?
    private let phase = Lock(Phase.idle)

    /// - Parameters:
    ///   - directory: the folder, open.
    ///   - room: an object that exists as long as the folder has to.
    init(_ directory: DescriptorBox, in room: (any AnyObject & Sendable)? = nil) throws(PasteboardError) {
        self.room = room
        do throws(Failure) {
            folder = try OpenedFolder(directory.raw)
        } catch {
            throw PasteboardError.unavailable(error.text)
        }
    }

    deinit {
        cancel()
    }

    var byteCount: UInt64? { nil }
    var isArchive: Bool { true }
    var fileName: String? { SafeFileName.component(name) }

    private var name: String { folder.name.description }

    func next(_ completion: @escaping @Sendable (Result<Data?, any Error>) -> Void) {
        ThreadPool.files.run { completion(Result { try self.read() }) }
    }

    private func read() throws -> Data? {
        let output = try output()
        let chunk = try System.read(output.raw, upTo: WireLimits.sharedDataLength)
        guard chunk.isEmpty else { return Data(chunk) }
        let program = phase.withLock { phase -> SystemProgram? in
            guard case .running(let program, _) = phase else { return nil }
            phase = .ending(program)
            return program
        }
        guard let program else { throw PasteboardError.cancelled }
        defer { phase.withLock { $0 = .over } }
        do throws(Failure) {
            try program.wait()
        } catch {
            throw PasteboardError.unavailable("the folder \(name) cannot be archived: \(error.text)")
        }
        return nil
    }

    /// The output of the program, which the first read starts.
    private func output() throws -> DescriptorBox {
        try phase.withLock { phase in
            switch phase {
            case .running(_, let output): return output
            case .ending, .over: throw PasteboardError.cancelled
            case .idle:
                let pipe = try System.pipe()
                let program = try folder.archive(to: pipe.second.raw)
                let output = DescriptorBox(pipe.keepingFirst())
                phase = .running(program, output)
                return output
            }
        }
    }

    func cancel() {
        let before = phase.withLock { exchange(&$0, with: .over) }
        switch before {
        case .idle, .over: break
        case .ending(let program): program.kill()
        case .running(let program, _):
            program.kill()
            // The ended program has to be reaped, which may take a moment.
            ThreadPool.files.run { try? program.wait() }
        }
    }
}
