import CPasteboardSystem
import Glibc

/// The program that started this one and watches it, usually systemd.
package enum ServiceManager {
    /// Reports a state of this process, such as `READY=1`. Without a manager, or if it does not listen, nothing
    /// happens.
    package static func notify(_ state: String) {
        guard let path = System.environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count <= PBS_PATH_CAPACITY
        else { return }
        _ = try? System.call("notify") { pbs_notify(path, state, state.utf8.count) }
    }

    /// The socket that the service manager passed to this process; nil if it passed none.
    ///
    /// Called once, before other threads run: it removes the variables, so that children do not take them for theirs.
    ///
    /// - Parameter refusal: the bytes sent to a connection for which no descriptor is left.
    package static func listeningSocket(refusal: [UInt8] = []) throws(SystemError) -> ListeningSocket? {
        guard let process = System.environment("LISTEN_PID"), process == "\(System.processID)" else { return nil }
        let count = System.environment("LISTEN_FDS").flatMap { Int($0) } ?? 0
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { try System.setEnvironment(name, to: nil) }
        guard count > 0 else { return nil }
        guard count == 1 else {
            throw SystemError(call: "LISTEN_FDS", errno: EINVAL, subject: "\(count) sockets where one is expected")
        }
        return try ListeningSocket(inheriting: 3, refusal: refusal)
    }
}
