import CPasteboardSystem
import Glibc

/// What the file system tells about a file.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case regular
        case directory
        case symbolicLink
        case socket
        case pipe
        case device
    }

    package let kind: Kind
    package let size: UInt64
    package let owner: UInt32
    /// The permission bits.
    package let mode: UInt32
    package let device: UInt64
    package let inode: UInt64
    /// How many names the file has; zero once it has been removed.
    package let links: UInt64
    /// Bytes that the file occupies, which may be more than its size: room behind its end can be allocated too.
    package let allocatedSize: UInt64
    /// What it is allocated in pieces of.
    package let allocationUnit: UInt64
    /// When its contents or anything that is said here last changed, in nanoseconds since 1970.
    package let changedAt: Int64
    /// When its contents last changed, in nanoseconds since 1970, or what a program has set for that.
    package let modifiedAt: Int64

    init(_ raw: pbs_status) {
        kind =
            switch raw.mode & 0o170000 {
            case 0o100000: .regular
            case 0o040000: .directory
            case 0o120000: .symbolicLink
            case 0o140000: .socket
            case 0o010000: .pipe
            default: .device
            }
        size = raw.size
        owner = raw.owner
        mode = raw.mode & 0o7777
        device = raw.device
        inode = raw.inode
        links = raw.links
        allocatedSize = raw.allocated
        allocationUnit = UInt64(raw.allocation_unit)
        changedAt = raw.changed
        modifiedAt = raw.modified
    }

    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether nothing has been written to the file since, nor has it become another.
    package func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && changedAt == other.changedAt
    }
}

extension System {
    /// The status of what `path` names; a symbolic link is not followed. Nil if there is nothing.
    ///
    /// - Parameter directory: where a relative path begins.
    package static func status(
        at path: some SystemPath,
        in directory: CInt = AT_FDCWD
    ) throws(SystemError) -> FileStatus? {
        var raw = pbs_status()
        do throws(SystemError) {
            _ = try call("lstat", path.description) { path.withPath { pbs_status(directory, $0, 1, &raw) } }
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw error
        }
        return FileStatus(raw)
    }

    /// The status of an open file. With `synchronizing` false a dead network or FUSE file system cannot hold the
    /// caller, and the values may be old.
    package static func status(
        of descriptor: CInt,
        synchronizing: Bool = true
    ) throws(SystemError) -> FileStatus {
        var raw = pbs_status()
        _ = try call("fstat", "descriptor \(descriptor)") { pbs_status(descriptor, "", synchronizing ? 1 : 0, &raw) }
        return FileStatus(raw)
    }
}
