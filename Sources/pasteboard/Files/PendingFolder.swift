import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A folder that is unpacked in a hidden directory beside its destination, and moved to its final name when it is
/// complete: no process sees a partial folder. A folder that is not kept is removed.
final class PendingFolder {
    private let path: SystemString
    private let directory: DescriptorBox
    private let workingPath: SystemString
    /// The directory in which the folder is unpacked; locked as long as it is open.
    private let room: DescriptorBox
    private let folder: UnpackedFolder
    private let program: SystemProgram
    private var input: DescriptorBox?
    /// Blocks SIGPIPE: a `tar` that stops reading must not end this process.
    private let signals: SignalBox
    private var hasEnded = false

    /// The descriptor that the archive is written to.
    var raw: CInt? { input?.raw }

    init(inDirectory path: SystemString) throws {
        self.path = path
        do {
            directory = DescriptorBox(try System.open(path, .directory))
            signals = try SignalBox([SIGPIPE])
            let (reader, writer) = try System.pipe().shared()
            (workingPath, room) = try WorkingName.createFolder(in: path)
            folder = UnpackedFolder(in: room)
            do throws(Failure) {
                program = try folder.unpack(reader)
            } catch {
                // No deinit runs for an instance that is not complete.
                try? WorkingName.removeFolder(workingPath)
                throw CommandFailure(local: "cannot create a folder in \(path): \(error.text)")
            }
            input = writer
        } catch let error as SystemError {
            throw CommandFailure("cannot create a folder in", path, error)
        }
    }

    deinit {
        if !hasEnded {
            program.kill()
            try? program.wait()
        }
        try? WorkingName.removeFolder(workingPath)
    }

    /// The error for a failed write: the reason why `tar` has ended. It is nil if the archive has ended: bytes after it
    /// are ignored, but its source may still fail.
    func failure(_ error: SystemError, for name: SystemString) -> (any Error)? {
        guard error.errno == EPIPE else { return CommandFailure("cannot unpack", name, error) }
        do {
            try end(name)
            return nil
        } catch {
            return error
        }
    }

    private func end(_ name: SystemString) throws {
        guard !hasEnded else { return }
        input = nil
        hasEnded = true
        do {
            try program.wait()
        } catch {
            throw CommandFailure(local: "cannot unpack \(name): \(error.text)")
        }
    }

    /// Completes the folder, moves it to the first name that is not taken, and returns its path.
    ///
    /// - Parameters:
    ///   - output: the rules for its name.
    ///   - isLasting: whether to wait until the folder would survive a crash of the machine.
    ///   - choose: returns the new name for the name in the archive.
    func keep(
        in output: OutputDirectory,
        isLasting: Bool,
        as choose: (SystemString) -> SafeFileName
    ) throws -> SystemString {
        try end("the folder")
        let own = try folder.finish()
        let name = choose(own)
        let room = self.room.raw
        do throws(SystemError) {
            if isLasting { try System.synchronizeFileSystem(of: room) }
            // A directory can be moved only if its owner may write to it.
            let mode = try System.status(at: own, in: room)?.mode ?? 0o700
            let isClosed = mode & 0o200 == 0
            if isClosed { try System.setMode(mode | 0o200, of: own, in: room) }
            for number in 1...10_000 {
                let candidate = name.candidate(number)
                let mayReplace = output.mayReplace(path.appending(candidate))
                if mayReplace, try System.status(at: candidate, in: directory.raw) != nil {
                    // The earlier one is then removed with the hidden directory.
                    try System.exchange(own, in: room, with: candidate, in: directory.raw)
                } else {
                    let isNamed = try System.renameUnlessTaken(own, in: room, to: candidate, in: directory.raw)
                    guard isNamed else { continue }
                }
                if isClosed { try System.setMode(mode, of: candidate, in: directory.raw) }
                if isLasting { try System.synchronize(directory.raw) }
                return path.appending(candidate)
            }
        } catch {
            throw CommandFailure("cannot create", name.candidate(1), error)
        }
        throw CommandFailure(
            local: "cannot create \(name.candidate(1)), because 10000 files with that name exist; use another directory"
        )
    }
}
