/// The log of programs that run in the background. A log above the limit is renamed when it is opened, and replaces the
/// previous renamed one.
package enum LogFile {
    private static let limit: UInt64 = 1 << 20

    /// The path in the user's directory for state; nil without one.
    ///
    /// - Parameter environment: returns the value of a variable.
    package static func path(environment: (String) -> String? = { System.environment($0) }) -> String? {
        System.stateDirectory(environment: environment).map { "\($0)/log" }
    }

    /// Opens the log; nil without a usable directory, or on a full disk. The call may never return, if the disk does
    /// not answer.
    package static func open(_ path: String) -> DescriptorBox? {
        do {
            // As for the socket, the directory must belong to this user, and no other user may enter it.
            try SocketPath(path).prepareDirectory()
            if let status = try System.status(at: path), status.size > limit {
                try System.rename(path, to: "\(path).1")
            }
            let options: OpenOptions = [.appending, .creating, .notFollowingLinks, .nonBlocking]
            let file = DescriptorBox(try System.open(path, options, mode: 0o600))
            return System.hasRoom(file.raw) ? file : nil
        } catch {
            return nil
        }
    }
}
