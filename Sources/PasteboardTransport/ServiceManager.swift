import CPasteboardSystem
import Glibc

/// The program that started this one and watches it, systemd as a rule.
package enum ServiceManager {
    /// Tells the manager about this process's state, such as `READY=1`. Without a manager, or one that does not listen,
    /// nothing happens.
    package static func notify(_ state: String) {
        guard let path = System.environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count <= PBS_PATH_CAPACITY
        else { return }
        _ = try? System.call("notify") { pbs_notify(path, state, state.utf8.count) }
    }
}
