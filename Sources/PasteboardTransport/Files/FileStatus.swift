import CPasteboardSystem
import Glibc

/// The attributes of a file.
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
    /// The number of names of the file; zero after it has been removed.
    package let links: UInt64
    /// The number of bytes that the file occupies. It may exceed the size, because bytes after the end can be
    /// allocated.
    package let allocatedSize: UInt64
    /// The unit in which the file is allocated.
    package let allocationUnit: UInt64
    /// The time of the last change of the contents or the attributes, in nanoseconds since 1970.
    package let changedAt: Int64
    /// The time of the last change of the contents, or the time that a program has set, in nanoseconds since 1970.
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

    /// Whether this is the same file, and nothing has been written to it since.
    package func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && changedAt == other.changedAt
    }
}

extension System {
    /// The status of the file at `path`, without following a symbolic link; nil if there is none.
    ///
    /// - Parameter directory: the start of a relative path.
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

    /// The status of an open file. If `synchronizing` is false, an unresponsive network or FUSE file system cannot
    /// block the caller, and the values may be outdated.
    package static func status(
        of descriptor: CInt,
        synchronizing: Bool = true
    ) throws(SystemError) -> FileStatus {
        var raw = pbs_status()
        _ = try call("fstat", "descriptor \(descriptor)") { pbs_status(descriptor, "", synchronizing ? 1 : 0, &raw) }
        return FileStatus(raw)
    }
}
