package import PasteboardTransport
import PasteboardWire

/// The names of unfinished files and folders: `.pasteboard-unfinished-` and 16 random digits.
///
/// A writer holds an advisory lock on its file as long as the file has such a name. The kernel releases it however the
/// writer ends. So a file of this user that can be locked is a leftover, and the next run removes it. A file that is
/// copied or dragged never gets such a name (see `SafeFileName`).
package enum WorkingName {
    private static func random() throws(SystemError) -> SystemString {
        let digits = try System.randomBytes(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return SystemString(SafeFileName.workingPrefix + digits)
    }

    /// Removes the files of killed writers from a directory; called by each command that writes there, and by a load or
    /// move into it.
    package static func removeLeftovers(in directory: SystemString) {
        guard let opened = try? System.open(directory, .directory), let names = try? System.entries(of: opened.raw)
        else {
            return
        }
        for name in names where SafeFileName.isWorkingName(name) {
            try? removeIfLeft(directory.appending(name))
        }
    }

    /// Creates a folder under a working name, and locks it.
    package static func createFolder(
        in directory: SystemString
    ) throws(SystemError) -> (path: SystemString, folder: DescriptorBox) {
        let opened = try System.open(directory, [.nameOnly, .directory])
        let created = try create(in: opened.raw) { (name) throws(SystemError) in
            let path = directory.appending(name)
            try System.makeDirectory(path)
            return DescriptorBox(try System.open(path, [.directory, .notFollowingLinks]))
        }
        return (directory.appending(created.name), created.file)
    }

    /// Creates a file or folder under a working name in an open directory, and locks it.
    ///
    /// - Parameter make: creates it under a name in the directory; throws `EEXIST` if the name is taken.
    package static func create(
        in directory: CInt,
        _ make: (SystemString) throws(SystemError) -> DescriptorBox
    ) throws(SystemError) -> (name: SystemString, file: DescriptorBox) {
        var attempts = 100
        while true {
            let name = try random()
            attempts -= 1
            do throws(SystemError) {
                let file = try make(name)
                // On a file system without locks no run removes files.
                let isLocked = (try? System.lock(file.raw)) ?? true
                // Before it was locked, another run may have removed it as a leftover.
                if isLocked, try System.status(at: name, in: directory) != nil { return (name, file) }
            } catch {
                // In a directory that has been removed, every name is missing.
                guard attempts > 0, error.isTaken || error.isMissing, try System.status(of: directory).links > 0
                else { throw error }
            }
        }
    }

    /// Removes a folder that no other process uses, with all its contents.
    package static func removeFolder(_ path: SystemString) throws(SystemError) {
        do throws(SystemError) {
            try System.removeDirectory(path)
        } catch {
            guard error.isNotEmpty, let name = path.lastComponent?.text else { throw error }
            let parent = DescriptorBox(try System.open(path.directory, .directory))
            func run(_ program: String, _ option: String, _ more: String...) throws(Failure) {
                try SystemProgram(program, [option] + more + ["--", name], in: parent).wait()
            }
            if (try? run("rm", "-rf")) != nil { return }
            // The folder may contain directories that their owner may not write to.
            try? run("chmod", "-R", "u+rwX")
            guard (try? run("rm", "-rf")) != nil else { throw error }
        }
    }

    /// Removes a file or folder of this user whose writer has ended.
    private static func removeIfLeft(_ path: SystemString) throws(SystemError) {
        guard let listed = try System.status(at: path), listed.owner == System.userID,
            listed.kind == .regular || listed.kind == .directory
        else { return }
        // Some network file systems lock only files that are open for writing.
        let options: OpenOptions = listed.kind == .regular ? [.readingAndWriting, .nonBlocking] : [.directory]
        let file = try System.open(path, options.union(.notFollowingLinks))
        guard try System.lock(file.raw) else { return }
        // Before it was locked, its writer may have finished, and another one may have taken the name.
        guard let there = try System.status(at: path), try System.status(of: file.raw).isSameFile(as: there) else {
            return
        }
        if there.kind == .directory { try removeFolder(path) } else { try System.unlink(path) }
    }
}
