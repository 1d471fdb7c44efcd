import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The names of unfinished files and folders in a directory: `.pasteboard-unfinished-1`, `-2` and so on.
///
/// A writer holds the advisory lock of its file as long as that has such a name. The kernel releases it however the writer
/// ends: a file that can be locked is a leftover, and the next run removes it.
enum WorkingName {
    private static func path(_ number: Int, in directory: SystemString) -> SystemString {
        directory.appending(SystemString(".pasteboard-unfinished-\(number)"))
    }

    /// Removes what killed writers have left, which stands at the lowest numbers.
    static func removeLeftovers(in directory: SystemString) {
        var number = 1
        while (try? System.status(at: self.path(number, in: directory))) != nil {
            // What is in use, or cannot be removed, stays.
            _ = try? self.removeIfLeft(self.path(number, in: directory))
            number += 1
        }
    }

    /// Makes a file under the first name that is free, and locks it.
    ///
    /// - Parameter make: makes the file at a path, unless there is one: `EEXIST`.
    static func take(
        in directory: SystemString,
        _ make: (SystemString) throws(SystemError) -> DescriptorBox
    ) throws(SystemError) -> (path: SystemString, file: DescriptorBox) {
        var number = 1
        while true {
            let path = self.path(number, in: directory)
            do throws(SystemError) {
                let file = try make(path)
                // Before the lock was taken another run may have found the file without one, and removed it.
                // Where there are no locks, nobody removes anything.
                let isLocked = (try? System.lock(file.raw)) ?? true
                if isLocked, try System.status(of: file.raw).links > 0 { return (path, file) }
            } catch {
                guard error.errno == EEXIST else { throw error }
                if try !self.removeIfLeft(path) { number += 1 }
            }
        }
    }

    /// Removes a folder that nobody else uses, with all that is in it.
    static func removeFolder(_ path: SystemString) throws(SystemError) {
        do throws(SystemError) {
            try System.removeDirectory(path)
        } catch {
            guard error.errno == ENOTEMPTY, let name = path.lastComponent?.text else { throw error }
            let parent = DescriptorBox(try System.open(path.directory, .directory))
            func run(_ program: String, _ option: String, _ more: String...) throws(Failure) {
                try SystemProgram(program, [option] + more + ["--", name], in: parent).wait()
            }
            if (try? run("rm", "-rf")) != nil { return }
            // There are directories that their owner may not write to.
            try? run("chmod", "-R", "u+rwX")
            guard (try? run("rm", "-rf")) != nil else { throw error }
        }
    }

    /// Removes a file or folder whose writer is gone.
    ///
    /// - Returns: whether the name is free now.
    private static func removeIfLeft(_ path: SystemString) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let file = try System.open(path, [.notFollowingLinks, .nonBlocking])
            guard try System.lock(file.raw) else { return false }
            // Somebody else may have removed it, and made another, before the lock was taken.
            guard let there = try System.status(at: path) else { return true }
            guard try System.status(of: file.raw).isSameFile(as: there) else { return false }
            if there.kind == .directory { try self.removeFolder(path) } else { try System.unlink(path) }
            return true
        } catch {
            if error.errno == ENOENT { return true }
            if [EACCES, ELOOP, ENOTEMPTY, EPERM, ENXIO].contains(error.errno) { return false }
            throw error
        }
    }
}
