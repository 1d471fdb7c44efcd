import CPasteboardSystem
import Glibc

/// The program that started this one as a service, such as systemd. It may pass a socket, and receives a message when
/// this program is ready.
package enum ServiceManager {
    /// The variables by which a manager addresses the program that it starts, and that the program does not pass on.
    private static let variables = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "FDSTORE", "SYSTEMD_EXEC_PID",
    ]

    /// The entries of an environment for a program that this manager does not address.
    package static func withoutVariables(_ environment: [String]) -> [String] {
        environment.filter { entry in !variables.contains { entry.hasPrefix("\($0)=") } }
    }

    /// Sends a state such as `READY=1`, without waiting, if this process has a manager.
    package static func notify(_ state: String) {
        guard isAddressed, let path = System.environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count <= PBS_PATH_CAPACITY,
            let raw = try? System.call("connect", path, { pbs_connect_datagrams(path) })
        else { return }
        let socket = OwnedDescriptor(adopting: raw)
        // The kernel copies the bytes during the call.
        _ = Array(state.utf8).withUnsafeBytes {
            pbs_send(socket.raw, $0.baseAddress, $0.count, nil, 0, nil, 0, nil, 0)
        }
    }

    /// Whether the manager's socket is meant for this process, and was not inherited from a service.
    private static var isAddressed: Bool {
        // systemd sets it to the process that it starts.
        System.environment("SYSTEMD_EXEC_PID").map { $0 == "\(System.processID)" } ?? true
    }

    /// The sockets that the manager has passed to this process, in order.
    ///
    /// Called once, before other threads run: it removes the variables, so that children do not take them for theirs.
    package static func passedSockets() throws(SystemError) -> [DescriptorBox] {
        guard System.environment("LISTEN_PID") == "\(System.processID)" else { return [] }
        let count = System.environment("LISTEN_FDS").flatMap { Int($0) } ?? 0
        for name in variables where name.hasPrefix("LISTEN_") { try System.setEnvironment(name, to: nil) }
        // A greater number than that of open descriptors is a mistake.
        let numbers = (0..<min(max(0, count), Int(clamping: System.descriptorLimit()))).map { 3 + CInt($0) }
        for raw in numbers {
            _ = try System.call("LISTEN_FDS", "descriptor \(raw)") { fcntl(raw, F_SETFD, FD_CLOEXEC) }
        }
        return numbers.map { DescriptorBox(OwnedDescriptor(adopting: $0)) }
    }
}
