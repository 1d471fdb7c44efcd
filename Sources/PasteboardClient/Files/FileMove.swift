package import PasteboardTransport
package import PasteboardWire

/// Moves files and folders of this user to new names, and never replaces an existing file.
package enum FileMove {
    /// Gives a file or folder another name on its own disk.
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
    /// process sees an incomplete file under the final name. Unless it is kept, it is removed with this object.
    package final class Copy: Sendable {
        private let original: SystemString
        private let destination: SystemString
        private let copy: SystemString
        private let room: (path: SystemString, lock: DescriptorBox)
        private let program: SystemProgram

        /// Starts to copy, with all permissions and times.
        ///
        /// - Parameter path: the file or folder, as a `String`, because `cp` is started with `String` arguments.
        package init(of path: String, to destination: SystemString) throws(Failure) {
            self.original = SystemString(path)
            self.destination = destination
            let room: (path: SystemString, file: DescriptorBox)
            do throws(SystemError) {
                room = try WorkingName.take(in: destination.directory) { (path) throws(SystemError) in
                    try System.makeDirectory(path)
                    return DescriptorBox(try System.open(path, [.directory, .notFollowingLinks]))
                }
            } catch {
                throw Failure(error.shortage ?? .refused, "\(error)")
            }
            self.room = (room.path, room.file)
            self.copy = room.path.appending("copy")
            do throws(Failure) {
                self.program = try SystemProgram("cp", ["--archive", "--", path, self.copy.description])
            } catch {
                // `deinit` does not run if `init` throws before all properties are set.
                try? WorkingName.removeFolder(room.path)
                throw error
            }
        }

        deinit {
            try? WorkingName.removeFolder(self.room.path)
        }

        /// Waits for the copy; called once.
        package func wait() throws(Failure) {
            try self.program.wait()
        }

        /// Ends the copy early.
        package func kill() {
            self.program.kill()
        }

        /// Gives the copy its name, and removes the original.
        ///
        /// - Returns: false if the name is taken.
        package func keep() throws(SystemError) -> Bool {
            guard try FileMove.rename(self.copy, to: self.destination) else { return false }
            // The copy is complete even if the original cannot be removed.
            let isFolder = (try? System.status(at: self.original))??.kind == .directory
            try? isFolder ? WorkingName.removeFolder(self.original) : System.unlink(self.original)
            return true
        }
    }
}
