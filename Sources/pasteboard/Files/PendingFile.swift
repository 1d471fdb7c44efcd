import Glibc
import PasteboardClient
import PasteboardTransport

/// A file that is being written under another name in its directory, and gets its own when it is complete: nobody
/// ever sees half of it. What is not kept is removed.
final class PendingFile {
    private let descriptor: OwnedDescriptor
    private let path: String
    private var isKept = false

    var raw: CInt { self.descriptor.raw }

    init(inDirectory directory: String, mode: UInt32 = 0o666) throws {
        do {
            let digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
            self.path = "\(directory)/.pasteboard-\(digits)"
            self.descriptor = try System.open(
                self.path,
                [.writing, .exclusive, .notFollowingLinks],
                mode: mode
            )
        } catch {
            throw CommandFailure("cannot create a file in", directory, error)
        }
    }

    deinit {
        if !self.isKept { try? System.unlink(self.path) }
    }

    func write(_ bytes: Span<UInt8>, for name: String) throws {
        do {
            try System.write(bytes, to: self.descriptor.raw)
        } catch {
            throw CommandFailure("cannot write", name, error)
        }
    }

    /// Gives it its name, in place of the file that had it.
    func keep(as destination: String, mode: UInt32? = nil) throws {
        do {
            if let mode { try System.setMode(mode, of: self.descriptor.raw) }
            try System.rename(self.path, to: destination)
            self.isKept = true
        } catch {
            throw CommandFailure("cannot create", destination, error)
        }
    }

    /// Waits until its bytes would outlive a crash of the machine.
    func synchronize(for name: String) throws {
        do {
            try System.synchronize(self.descriptor.raw)
        } catch {
            throw CommandFailure("cannot write", name, error)
        }
    }

    /// Gives it the first of the names that no file has, and returns its path.
    func keep(inDirectory directory: String, as name: SafeFileName) throws -> String {
        for number in 1...10_000 {
            let destination = "\(directory)/\(name.candidate(number))"
            do {
                // Takes the name first: a rename alone would replace a file that somebody made meanwhile.
                _ = try System.open(destination, [.writing, .exclusive, .notFollowingLinks])
            } catch {
                if error.errno == EEXIST { continue }
                throw CommandFailure("cannot create", destination, error)
            }
            try self.keep(as: destination)
            return destination
        }
        throw CommandFailure(local: "\(directory) has 10000 files of the name \(name.candidate(1)) already")
    }
}
