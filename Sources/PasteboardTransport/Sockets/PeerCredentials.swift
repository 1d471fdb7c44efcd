import CPasteboardSystem
import Glibc

/// The process and user that created the other end of a socket, as the kernel recorded them then.
///
/// The process may have ended, and another one may have its number, so the number is only for the log. Whether the peer
/// is served depends on the user.
package struct PeerCredentials: Equatable, Sendable {
    package let process: CInt
    package let user: UInt32
    package let group: UInt32

    package init(of socket: CInt) throws(SystemError) {
        var raw = pbs_credentials()
        _ = try System.call("getsockopt SO_PEERCRED") { pbs_peer_credentials(socket, &raw) }
        process = raw.pid
        user = raw.uid
        group = raw.gid
    }
}

/// The identity of a process, unique during this boot. The broker charges everything that it holds for a process to it.
package struct ProcessIdentity: Hashable, Sendable {
    // If the kernel has a file system of pidfds, the two numbers are all ones and the inode there. Otherwise they are
    // the process id and the tick at which the process started.
    private let first: UInt64
    /// Identifies one process of this boot together with the process id.
    package let second: UInt64

    /// The process at the other end of a socket.
    ///
    /// Throws if no descriptor or memory is left, which is a reason to refuse the connection.
    package init(peerOf socket: CInt, credentials: PeerCredentials) throws(SystemError) {
        var raw: CInt = -1
        let answer: CInt
        do throws(SystemError) {
            answer = try System.call("getsockopt SO_PEERPIDFD") {
                pbs_int_option(socket, CInt(PBS_SO_PEERPIDFD), &raw)
            }
        } catch {
            // Other errors mean that the kernel has no such option, or that the process has ended.
            if error.shortage != nil { throw error }
            answer = -1
        }
        if answer == 0 {
            let descriptor = OwnedDescriptor(adopting: raw)
            try self.init(inode: pbs_pidfd_inode(descriptor.raw), process: credentials.process)
        } else {
            try self.init(inode: 0, process: credentials.process)
        }
    }

    private init(inode: UInt64, process: CInt) throws(SystemError) {
        if inode != 0 {
            first = .max
            second = inode
        } else {
            first = UInt64(UInt32(bitPattern: process))
            second = try Self.startTime(of: process)
        }
    }

    /// The start of the process in clock ticks since the machine started; zero if the process has ended.
    private static func startTime(of process: CInt) throws(SystemError) -> UInt64 {
        let text: [UInt8]
        do throws(SystemError) {
            text = try System.contents(of: "/proc/\(process)/stat", limit: 4096)
        } catch {
            if error.errno == EMFILE || error.errno == ENFILE { throw error }
            return 0
        }
        // The second field is the program's name in parentheses, with any characters. The 22nd is the time.
        guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return 0 }
        let fields = text[(name + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return 0 }
        return UInt64(String(decoding: fields[19], as: UTF8.self)) ?? 0
    }
}
