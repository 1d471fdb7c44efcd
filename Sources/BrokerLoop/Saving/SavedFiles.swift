import BrokerState
import PasteboardTransport

/// The memory files that the service manager has, each under one number, and the kept bytes that are in them.
///
/// A client may write the memory file of an earlier load again, so several kept representations can share a file. Each file
/// has exactly one name, because systemd ignores a second name for a file that it already has.
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

    private struct Entry {
        let number: UInt64
        var users = 0
    }

    private var entries: [Identity: Entry] = [:]
    /// The numbers of files whose removal may not have been sent yet.
    private var removed: [Identity: UInt64] = [:]
    /// The file of kept bytes, by slot; nil if they are not saved.
    private var files: [Identity?] = []

    /// The number of the file of kept bytes; nil if they are not saved.
    func number(of kept: KeptID) -> UInt64? {
        Int(kept.slot) < files.count ? files[Int(kept.slot)].flatMap { entries[$0]?.number } : nil
    }

    /// Notes that kept bytes are in a file.
    ///
    /// - Parameters:
    ///   - number: the number of the file if it has none yet.
    ///   - restore: cancels the removal of the file with a number; false if it was sent already.
    /// - Returns: the number of the file.
    mutating func add(
        _ kept: KeptID,
        in file: DescriptorBox,
        number: UInt64,
        restore: (UInt64) -> Bool = { _ in false }
    ) throws(SystemError) -> UInt64 {
        let identity = try Identity(file)
        var number = number
        if let earlier = removed.removeValue(forKey: identity), restore(earlier) { number = earlier }
        var entry = entries[identity] ?? Entry(number: number)
        entry.users += 1
        entries[identity] = entry
        while files.count <= Int(kept.slot) { files.append(nil) }
        files[Int(kept.slot)] = identity
        return entry.number
    }

    /// Notes that kept bytes are closed.
    ///
    /// - Returns: the number of their file, if nothing else is in it.
    mutating func remove(_ kept: KeptID) -> UInt64? {
        guard Int(kept.slot) < files.count, let identity = files[Int(kept.slot)].take(),
            var entry = entries[identity]
        else { return nil }
        entry.users -= 1
        entries[identity] = entry.users > 0 ? entry : nil
        guard entry.users == 0 else { return nil }
        removed[identity] = entry.number
        return entry.number
    }

    /// All removals have been sent.
    mutating func removalsSent() {
        if !removed.isEmpty { removed = [:] }
    }
}
