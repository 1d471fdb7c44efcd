import PasteboardTransport

/// The memory files of kept bytes that the service manager has, each under one number.
///
/// A client may write the memory file of an earlier load again, so several contents can share a file. Each file has
/// exactly one name, because systemd ignores a second name for a file that it already has.
struct SavedFiles {
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ file: DescriptorBox) throws(SystemError) {
            let status = try System.status(of: file.raw)
            device = status.device
            inode = status.inode
        }
    }

    private var numbers: [Identity: UInt64] = [:]
    /// The files by number, and the number of descriptions that name them.
    private var users: [UInt64: (file: Identity, count: Int)] = [:]

    /// Records that a description names a file.
    ///
    /// - Parameter number: the number of the file if it has none yet.
    /// - Returns: the number of the file.
    mutating func use(_ file: DescriptorBox, number: UInt64) throws(SystemError) -> UInt64 {
        let identity = try Identity(file)
        let number = numbers[identity] ?? number
        numbers[identity] = number
        users[number, default: (identity, 0)].count += 1
        return number
    }

    /// Records that a description that names a file is not needed any more.
    ///
    /// - Returns: whether no other description names it.
    mutating func release(_ number: UInt64) -> Bool {
        guard let (file, count) = users[number] else { return false }
        guard count == 1 else {
            users[number]?.count = count - 1
            return false
        }
        users[number] = nil
        numbers[file] = nil
        return true
    }
}
