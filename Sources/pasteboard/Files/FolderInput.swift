import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A folder as an archive of its tree: made once if the broker keeps it, otherwise again for each ask.
final class FolderInput {
    /// The path as the user wrote it.
    private let path: SystemString
    private let folder: OpenedFolder
    /// The folder, for archives of each ask.
    var opened: OpenedFolder { folder }
    private var archiving: (program: SystemProgram, output: DescriptorBox)?

    /// - Parameter directory: the folder, open.
    init(_ directory: DescriptorBox, path: SystemString) throws {
        self.path = path
        folder = try Self.archiving(path) { try OpenedFolder(directory.raw) }
    }

    deinit {
        guard let archiving else { return }
        archiving.program.kill()
        try? archiving.program.wait()
    }

    /// The name that the folder has.
    var name: SystemString { folder.name }

    /// The number of pipes, sockets and devices in it.
    func countSpecials() -> Int { folder.countSpecials() }

    /// Starts the archiver, unless it is running, and returns the descriptor to read the archive from.
    func output() throws -> CInt {
        if let archiving { return archiving.output.raw }
        return try Self.archiving(path) {
            let pipe = try System.pipe()
            let program = try folder.archive(to: pipe.second.raw)
            let output = DescriptorBox(pipe.keepingFirst())
            archiving = (program, output)
            return output.raw
        }
    }

    /// Called when the archive has been read; throws if the archive is incomplete.
    func finish() throws {
        guard let archiving else { return }
        self.archiving = nil
        try Self.archiving(path) { try archiving.program.wait() }
    }

    private static func archiving<Value>(_ path: SystemString, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let reason = (error as? Failure)?.text ?? "\(error)"
            throw CommandFailure(local: "cannot archive \(path): \(reason)")
        }
    }
}
