package import PasteboardTransport
package import PasteboardWire

/// Moves files and folders of this user to new names, and never replaces an existing file.
package enum FileMove {
    /// Renames a file or folder within its file system.
    ///
    /// - Returns: false if the name is taken.
    package static func rename(_ path: SystemString, to destination: SystemString) throws(SystemError) -> Bool {
        // A directory can be moved elsewhere only if its owner may write to it.
        let status = try System.status(at: path)
        guard let status, status.kind == .directory, status.mode & 0o200 == 0 else {
            return try System.renameUnlessTaken(path, to: destination)
        }
        try System.setMode(status.mode | 0o200, of: path)
        var isMoved = false
        defer { try? System.setMode(status.mode, of: isMoved ? destination : path) }
        isMoved = try System.renameUnlessTaken(path, to: destination)
        return isMoved
    }

    /// A copy of a file or folder on another disk. It is made in a hidden directory beside its destination, so that no
    /// process sees an incomplete file under the final name. Unless it is kept, it is removed when this object is
    /// released.
    ///
    /// If this process is killed, `cp` continues to its end and the copy stays. A later copy into the same directory
    /// removes it (see `WorkingName`).
    package final class Copy: Sendable {
        private let original: SystemString
        private let destination: SystemString
        private let copy: SystemString
        private let room: (path: SystemString, folder: DescriptorBox)
        /// The run of `cp`.
        package let program: SystemProgram

        /// Starts to copy, with all permissions and times.
        ///
        /// - Parameter path: the file or folder, as a `String`, because `cp` is started with `String` arguments.
        package init(of path: String, to destination: SystemString) throws(Failure) {
            original = SystemString(path)
            self.destination = destination
            WorkingName.removeLeftovers(in: destination.directory)
            do throws(SystemError) {
                room = try WorkingName.createFolder(in: destination.directory)
            } catch {
                throw Failure(error.shortage ?? .refused, "\(error)")
            }
            copy = room.path.appending("copy")
            do throws(Failure) {
                var program = try SystemProgram.configuration(
                    "cp",
                    ["--archive", "--", path, copy.description]
                )
                program.output = .null
                // If this process is killed, `cp` still holds the lock, so that no other process removes the directory
                // before `cp` has ended.
                program.descriptors = [room.folder.raw]
                self.program = try SystemProgram("cp", program)
            } catch {
                // `deinit` does not run if `init` throws before all properties are set.
                try? WorkingName.removeFolder(room.path)
                throw error
            }
        }

        deinit {
            try? WorkingName.removeFolder(room.path)
        }

        /// Waits for the copy; called once. Throws also if the exit status of `cp` is lost, because the original is
        /// removed later.
        package func wait() throws(Failure) {
            try program.wait(isStatusRequired: true)
        }

        /// Ends the copy early.
        package func kill() {
            program.kill()
        }

        /// Renames the copy to its final name, and removes the original once the copy is on the disk.
        ///
        /// - Returns: false if the name is taken.
        package func keep() throws -> Bool {
            let original = try System.status(at: self.original)
            try secure(original)
            guard try FileMove.rename(copy, to: destination) else { return false }
            // The copy has its name now, so an error here must not look like a move that failed. Some file systems
            // cannot synchronize directories, and this process may not be allowed to read this one.
            if let directory = try? System.open(destination.directory, .directory) {
                try? System.synchronize(directory.raw)
            }
            // The copy is complete even if the original cannot be removed.
            let isFolder = original?.kind == .directory
            try? isFolder ? WorkingName.removeFolder(self.original) : System.unlink(self.original)
            return true
        }

        /// Writes the copy to the disk. Compares the length of a file: `cp` may have succeeded before the original was
        /// written to its end.
        private func secure(_ original: FileStatus?) throws {
            guard let original, original.kind == .regular else {
                // The exit status of `cp` shows that a folder is complete. Its files are too many to open each.
                return try System.synchronizeFileSystem(of: room.folder.raw)
            }
            let file = try System.open(copy, [.notFollowingLinks, .nonBlocking])
            let copied = try System.status(of: file.raw)
            guard copied.kind == .regular, copied.size == original.size else {
                throw Failure(
                    .refused,
                    "the copy has \(copied.size) bytes and the original \(original.size); the original was not removed"
                )
            }
            try System.synchronize(file.raw)
        }
    }
}
