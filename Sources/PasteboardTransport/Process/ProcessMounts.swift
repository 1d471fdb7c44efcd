import CPasteboardSystem
import Glibc

/// The mounts that a process sees.
package enum ProcessMounts {
    /// Enough for the first line of a list of mounts, with two long paths.
    private static let limit = 9 << 10

    /// The first mount that this process sees. Its number is that of no other mount in the system.
    private static let own = first(of: "self")

    private static func first(of process: String) -> [UInt8]? {
        // The only file about the mounts that a process may read of another one that it may not trace.
        guard let bytes = try? System.contents(of: "/proc/\(process)/mountinfo", limit: limit),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return Array(bytes[..<end])
    }

    /// Whether the process at the other end of a socket sees the mounts of this one, and so could open its files by
    /// their paths. False if that cannot be determined, as before Linux 6.5.
    package static func areShared(withPeerOf socket: CInt) -> Bool {
        var raw: CInt = -1
        guard let own, let peer = try? PeerCredentials(of: socket), peer.process > 0,
            (try? System.call("getsockopt SO_PEERPIDFD") { pbs_int_option(socket, CInt(PBS_SO_PEERPIDFD), &raw) }) == 0
        else { return false }
        let process = OwnedDescriptor(adopting: raw)
        guard first(of: "\(peer.process)") == own else { return false }
        // While the process has not ended, no other one has its id.
        guard let ready = try? System.poll([PollInterest(process.raw, .readable)], milliseconds: 0) else {
            return false
        }
        return ready[0] == []
    }
}
