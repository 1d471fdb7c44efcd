import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A folder that is given as an archive of its tree: read once for a broker that keeps it, or made anew at each ask.
final class FolderInput {
    /// The path as it was given.
    private let path: SystemString
    private let folder: OpenedFolder
    private var archiving: (program: SystemProgram, output: DescriptorBox)?

    /// - Parameter directory: the folder, open.
    init(_ directory: DescriptorBox, path: SystemString) throws {
        self.path = path
        do {
            self.folder = try OpenedFolder(directory.raw)
        } catch {
            throw Self.failure(error, path)
        }
    }

    deinit {
        guard let archiving else { return }
        archiving.program.kill()
        try? archiving.program.wait()
    }

    /// The name that the folder has.
    var name: SystemString { self.folder.name }

    /// For an ask.
    func archiver() throws(Failure) -> ChildProcess.Configuration { try self.folder.archiver() }

    /// Where the archive comes from, which is begun now.
    func output() throws -> CInt {
        if let archiving { return archiving.output.raw }
        do {
            let pipe = try System.pipe()
            let program = try self.folder.archive(to: pipe.second.raw)
            let output = DescriptorBox(pipe.keepingFirst())
            self.archiving = (program, output)
            return output.raw
        } catch {
            throw Self.failure(error, self.path)
        }
    }

    /// All of the archive has been read: throws why it is not whole, if it is not.
    func finish() throws {
        guard let archiving else { return }
        self.archiving = nil
        do {
            try archiving.program.wait()
        } catch {
            throw Self.failure(error, self.path)
        }
    }

    private static func failure(_ error: any Error, _ path: SystemString) -> CommandFailure {
        let reason = (error as? Failure)?.text ?? "\(error)"
        return CommandFailure(local: "cannot archive \(path): \(reason)")
    }
}
