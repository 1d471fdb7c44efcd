import CPasteboardSystem
import Glibc

/// The program that started this one and watches it: systemd, or the keeper of a broker. It passes descriptors to this
/// program, and takes some for the program's next run.
package struct ServiceManager: Sendable {
    /// A descriptor that the manager has passed, and its name.
    package struct Passed: Sendable {
        package let name: String
        package let descriptor: DescriptorBox

        package init(name: String, descriptor: DescriptorBox) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    package enum SendOutcome {
        case sent
        /// The manager's queue is full. The socket is writable when it has room again.
        case full
        /// The system has no memory, or too many descriptors of this user are on their way. It may work later.
        case refused
        /// Nobody receives any more.
        case gone
    }

    private let socket: DescriptorBox
    /// The number of descriptors that the manager takes for the next run of this program; 0: none.
    package let capacity: Int

    /// Writable while the manager has room for a message.
    package var raw: CInt { socket.raw }

    /// Connects to the manager; nil if this program has none, or none that it can reach.
    ///
    /// Called once, before other threads run: it removes the variables, so that children do not take them for theirs.
    package init?() {
        guard Self.receivesMessages, let path = System.environment("NOTIFY_SOCKET") else { return nil }
        let capacity = System.environment("FDSTORE").flatMap { Int($0) } ?? 0
        for name in ["NOTIFY_SOCKET", "FDSTORE"] { try? System.setEnvironment(name, to: nil) }
        self.init(at: path, capacity: capacity)
    }

    /// The keeper that has passed this end of a pair of sockets.
    package init(_ socket: DescriptorBox) {
        self.socket = socket
        capacity = max(0, System.environment("FDSTORE").flatMap { Int($0) } ?? 0)
        try? System.setEnvironment("FDSTORE", to: nil)
    }

    /// Connects to the manager that receives at a path or an abstract name; nil if it cannot be reached.
    package init?(at path: String, capacity: Int) {
        self.capacity = max(0, capacity)
        guard path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count <= PBS_PATH_CAPACITY,
            let raw = try? System.call("connect", path, { pbs_connect_datagrams(path) })
        else { return nil }
        socket = DescriptorBox(OwnedDescriptor(adopting: raw))
    }

    /// Sends a message such as `READY=1`, with descriptors, without waiting.
    package func send(_ message: String, _ descriptors: [CInt] = []) -> SendOutcome {
        do throws(SystemError) {
            let sent = try System.callUnlessBlocked("notify") {
                message.utf8.withContiguousStorageIfAvailable { bytes in
                    descriptors.withUnsafeBufferPointer { descriptors in
                        // The kernel copies the bytes, and the numbers, during the call.
                        pbs_send(
                            socket.raw,
                            bytes.baseAddress,
                            bytes.count,
                            nil,
                            0,
                            nil,
                            0,
                            descriptors.baseAddress,
                            CInt(descriptors.count)
                        )
                    }
                } ?? 0
            }
            return sent == nil ? .full : .sent
        } catch {
            return [ECONNREFUSED, ECONNRESET, ENOTCONN, EPIPE, ENOENT].contains(error.errno) ? .gone : .refused
        }
    }

    /// The variable that contains the process id of the keeper that started this process. A keeper cannot set
    /// `LISTEN_PID`, because it does not know the process id before the program runs.
    package static let keeperVariable = "PASTEBOARD_KEEPER"
    /// The variable that tells a broker to start without contents, because others could not start with them.
    package static let emptyVariable = "PASTEBOARD_START_EMPTY"
    /// The variable that is set if another broker has served before.
    package static let restartVariable = "PASTEBOARD_RESTART"

    /// The variables by which a manager addresses the program that it starts, and that the program does not pass on.
    private static let variables = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "FDSTORE", "SYSTEMD_EXEC_PID", keeperVariable,
        emptyVariable, restartVariable,
    ]

    /// The entries of an environment for a program that this manager does not address.
    package static func withoutVariables(_ environment: [String]) -> [String] {
        environment.filter { entry in !variables.contains { entry.hasPrefix("\($0)=") } }
    }

    /// The keeper that has started this process; nil if none has.
    package static var keeper: CInt? {
        guard let keeper = System.environment(keeperVariable).flatMap({ CInt($0) }), keeper == getppid() else {
            return nil
        }
        return keeper
    }

    private static var passesDescriptors: Bool {
        keeper != nil || System.environment("LISTEN_PID") == "\(System.processID)"
    }

    /// Whether this process has a manager.
    package static var isPresent: Bool { passesDescriptors || receivesMessages }

    /// Whether the manager's socket is meant for this process, and was not inherited from a service.
    private static var receivesMessages: Bool {
        guard System.environment("NOTIFY_SOCKET") != nil else { return false }
        // systemd sets it to the process that it starts.
        return System.environment("SYSTEMD_EXEC_PID").map { $0 == "\(System.processID)" } ?? true
    }

    /// The descriptors that the manager has passed to this process, in order.
    ///
    /// Called once, before other threads run: it removes the variables, so that children do not take them for theirs.
    package static func passedDescriptors() throws(SystemError) -> [Passed] {
        guard passesDescriptors else { return [] }
        let count = System.environment("LISTEN_FDS").flatMap { Int($0) } ?? 0
        let names = (System.environment("LISTEN_FDNAMES") ?? "").utf8
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for name in variables where name != "NOTIFY_SOCKET" && name != "FDSTORE" {
            try System.setEnvironment(name, to: nil)
        }
        var passed: [Passed] = []
        // A greater number than that of open descriptors is a mistake.
        for index in 0..<min(max(0, count), Int(clamping: System.descriptorLimit())) {
            let raw = 3 + CInt(index)
            _ = try System.call("LISTEN_FDS", "descriptor \(raw)") { fcntl(raw, F_SETFD, FD_CLOEXEC) }
            let name = index < names.count ? String(decoding: names[index], as: UTF8.self) : ""
            passed.append(Passed(name: name, descriptor: DescriptorBox(OwnedDescriptor(adopting: raw))))
        }
        return passed
    }
}
