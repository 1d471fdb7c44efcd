import CPasteboardSystem
import Glibc

// A program that holds the contents of other programs gives up privileges, so that a fault in it harms less. Libraries
// must not call this: it changes the whole process, or the thread and those that it starts later.
extension System {
    /// Lets no other user open the files that this process creates, whatever mask it has inherited.
    package static func closeNewFilesToOthers() {
        _ = umask(0o077)
    }

    /// Keeps the memory of this process out of core dumps, and closes it and the descriptors to debuggers and other
    /// processes of this user.
    package static func closeMemoryToOthers() {
        // The limit alone is not enough: the kernel ignores it if a program receives the dumps.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = pbs_set_dumpable(0)
    }

    /// A number in the status of a process, such as `TracerPid`; nil if it is unknown.
    package static func status(_ field: String, of process: CInt) -> Int? {
        let status = (try? contents(of: "/proc/\(process)/status", limit: 1 << 16)) ?? []
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "\(field):\t".utf8) }
        return line.flatMap { Int(String(decoding: $0.dropFirst(field.utf8.count + 2), as: UTF8.self)) }
    }

    /// Gives up files, programs, TCP, and signals to other processes, as far as the kernel supports it (Landlock, Linux
    /// 5.13), and set-user-id programs. Descriptors that are open or arrive later stay usable, and so do the files in
    /// `/proc`, for reading.
    ///
    /// - Parameters:
    ///   - directory: files may still be removed from this directory.
    ///   - written: open directories in which files may still be created, read, written, renamed and removed.
    package static func giveUpFiles(
        exceptRemovingFrom directory: String?,
        writingTo written: [CInt]
    ) throws(SystemError) {
        _ = try call("landlock", directory) { pbs_give_up_files(directory, written, CInt(written.count)) }
    }
}
