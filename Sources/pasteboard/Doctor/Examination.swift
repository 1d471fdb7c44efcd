import BrokerLoop
import DesktopClipboard
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The facts about the broker that `doctor` judges, and the checks.
struct Examination {
    /// The time for the broker to answer, in milliseconds.
    private static let timeout = 2_000

    var path: Result<SocketPath, any Error>
    /// The broker's answer to hello; nil if none runs.
    var welcome: Result<Welcome?, any Error> = .success(nil)
    /// The process that has made the socket, as the kernel reports it. It is 0 in another process namespace.
    var peer: CInt?
    /// The name of its program; nil if it has ended.
    var peerName: String?
    /// The paths at which something is mounted.
    var mounts: [Substring] = []

    init(path: Result<SocketPath, any Error>) {
        self.path = path
    }

    /// Collects the facts. Starts no broker.
    init(on loop: Loop) async {
        path = Result { try BrokerConnector().socket }
        let lines = (try? System.contents(of: "/proc/self/mountinfo", limit: 1 << 20)) ?? []
        // NUMBER PARENT DEVICE ROOT PATH …
        mounts = String(decoding: lines, as: UTF8.self).split(separator: "\n").compactMap {
            $0.split(separator: " ").dropFirst(4).first
        }
        guard (try? path.get()) != nil else { return }
        do {
            let deadline = MonotonicClock.deadline(milliseconds: Self.timeout)
            guard let brokers = try await Brokers.present(on: loop, until: deadline),
                let connection = try await brokers.connection(until: deadline)
            else { return }
            let welcome = connection.welcome
            let peer = try PeerCredentials(of: connection.descriptor).process
            // A process that has ended and was not collected has no arguments any more.
            let isRunning = (try? System.contents(of: "/proc/\(peer)/cmdline"))?.isEmpty == false
            let name = isRunning ? try? System.contents(of: "/proc/\(peer)/comm", limit: 64).dropLast() : nil
            self.welcome = .success(welcome)
            self.peer = peer
            peerName = name.map { String(decoding: $0, as: UTF8.self) }
        } catch {
            welcome = .failure(error)
        }
    }

    /// One check: its name, the advice if its error has none, and the text if all is well; nil if there is nothing to
    /// check. It throws what is wrong.
    private typealias Check = (name: String, advice: String, run: @Sendable (Examination) throws -> String?)

    /// The checks on the way to the broker. Behind one that fails, the others would fail for the same reason.
    private static let wayChecks: [Check] = [
        ("directory", "set PASTEBOARD_SOCKET to a path that you may use", { try $0.directory() }),
        ("socket", "set PASTEBOARD_SOCKET to a path that you may use", { try $0.socket() }),
        (
            "broker", "end it with 'pasteboard stop'; if it is another program, set PASTEBOARD_SOCKET to another path",
            { try $0.broker() }
        ),
        ("way", "update the broker", { try $0.way() }),
        ("kept", "see the log of the broker", { try $0.kept() }),
    ]
    private static let otherChecks: [Check] = [
        ("limits", "correct the limit", { _ in try limits() }),
        ("disk", "see the log of the broker", { try $0.disk() }),
        ("tar", "install GNU tar", { _ in try tar() }),
        ("desktop", "set WAYLAND_DISPLAY or DISPLAY to the display", { try $0.desktop() }),
    ]

    var findings: [Finding] {
        let way = Self.wayChecks.compactMap(finding)
        let reached = (way.firstIndex { !$0.isGood }).map { $0 + 1 } ?? way.count
        return way.prefix(reached) + Self.otherChecks.compactMap(finding)
    }

    private func finding(_ check: Check) -> Finding? {
        do {
            return try check.run(self).map { Finding(check.name, $0) }
        } catch {
            return Finding(check.name, error, usual: check.advice)
        }
    }

    // MARK: Checks

    private func directory() throws -> String {
        let path = try self.path.get()
        if case .success(nil) = welcome { try path.tryDirectory() }
        guard try path.missingDirectories().isEmpty else {
            return "\(path.directory) is missing, and is created with the first broker"
        }
        do {
            try path.checkSocket()
        } catch SocketPathError.occupied {
            // The next check reports it.
        }
        // A broker that is started demands more.
        if case .success(nil) = welcome { try path.checkDirectory() }
        return "\(path.directory) belongs to you or root, and others cannot write to it"
    }

    private func socket() throws -> String {
        let path = try self.path.get()
        guard let status = try System.status(at: path.path) else {
            guard System.environment("PASTEBOARD_AUTOSTART") != "0" else {
                throw CommandFailure(
                    local: "no broker runs, and PASTEBOARD_AUTOSTART is 0; start one: pasteboard broker"
                )
            }
            return "\(path.path) is missing: no broker runs, and copy, offer and drop start one"
        }
        guard status.kind == .socket, status.owner == System.userID else { throw SocketPathError.occupied(path.path) }
        guard mounts.contains(where: { $0 == path.path }) else { return "\(path.path) belongs to you" }
        return "\(path.path) is mounted alone: the next broker has another socket, unless its directory is mounted"
    }

    private func broker() throws -> String? {
        let path = try self.path.get()
        do {
            guard let welcome = try self.welcome.get() else {
                let isLeft = try System.status(at: path.path) != nil
                // A broker leaves its lock, too.
                guard try !isLeft || System.status(at: path.brokerLock) != nil else {
                    throw CommandFailure(
                        local: "nobody answers at \(path.path), and the next command replaces it by a broker of this "
                            + "machine; if ssh has forwarded it, connect again after rm \(path.path), and set "
                            + "StreamLocalBindUnlink yes in sshd_config of this machine"
                    )
                }
                let next = try BrokerStart.describe()
                return isLeft
                    ? "none runs; a killed one has left the socket, which the next one replaces" : "the next is \(next)"
            }
            let version = welcome.programVersion ?? "unknown"
            guard version == ProgramVersion.current else {
                throw CommandFailure(
                    local: "the running broker has version \(version), this program \(ProgramVersion.current); "
                        + "put this program in its place, with what it keeps: pasteboard broker --replace"
                )
            }
            return "process \(welcome.process ?? 0), version \(version), protocol \(welcome.version ?? 0)"
        } catch let failure as Failure where failure.code == .timeout {
            guard let holder = BrokerLock.holder(of: path) else { throw failure }
            throw CommandFailure(
                local: "the broker does not answer within \(Self.timeout) ms; if process \(holder) is stopped, "
                    + "continue it (kill -CONT), or end it (kill -KILL); what it keeps comes back"
            )
        }
    }

    /// The process that has made the socket, if it is not the broker itself: a service manager, or a program that
    /// forwards bytes.
    private func way() throws -> String? {
        guard let broker = try welcome.get()?.process, let peer, peer != CInt(clamping: broker) else { return nil }
        switch (peer, peerName) {
        case (0, _), (_, "pasteboard"), (_, "pasteboardd"), (_, nil):
            return "the broker is in another container or namespace"
        case (_, "systemd"):
            return "systemd has the socket, and starts the broker"
        case (_, let name?):
            let forwarder = "the socket is forwarded by process \(peer) (\(name))"
            guard try welcome.get()?.features.contains(Feature.probe.rawValue) == true else {
                throw CommandFailure(
                    local: "\(forwarder), and large contents fail, because the broker is older than this program and "
                        + "does not notice that descriptors are lost; update the broker"
                )
            }
            return "\(forwarder), so all bytes pass through the socket"
        }
    }

    /// The directory of saved contents.
    private func kept() throws -> String? {
        guard let welcome = try welcome.get() else { return nil }
        guard let path = welcome.keptDirectory else {
            throw CommandFailure(
                local: "contents end with the broker, because it has no tmpfs for them; set XDG_RUNTIME_DIR to one, or "
                    + "mount one at /dev/shm, and run pasteboard broker --replace"
            )
        }
        let room = ByteCount.text(welcome.keptDirectoryRoom ?? 0)
        return "saved contents are files in \(path), which has room for \(room)\(Self.end(of: path))"
    }

    /// The events that remove a directory.
    private static func end(of path: String) -> String {
        guard path.hasPrefix("/run/user/"), let user = System.environment("USER"), !user.contains("/") else {
            return ""
        }
        let lingers = (try? System.status(at: "/var/lib/systemd/linger/\(user)")) != .some(nil)
        return lingers ? "" : "; they end with your last session, unless you run loginctl enable-linger"
    }

    private static func limits() throws -> String {
        try BrokerDaemon.check()
        let files = System.raiseDescriptorLimit()
        guard files >= 256 else {
            throw CommandFailure(
                local: "a broker that is started here may open \(files) files, which is not enough; raise the limit: "
                    + "ulimit -n 1024"
            )
        }
        return "those of the configuration file and of PASTEBOARD_LIMITS are valid"
    }

    private func disk() throws -> String? {
        // Without a path, the check of the directory has failed.
        guard let path = try? self.path.get() else { return nil }
        return try DiskCopy.examine(for: path)
    }

    /// The bridge to the desktop; nil without one.
    private func desktop() throws -> String? {
        guard let address = try? DesktopAddress.find(), let directory = try? path.get().directory else { return nil }
        let lock = address.lockPath(in: directory)
        guard try System.status(at: lock) != nil, try LockFile(lock) == nil else {
            return "no bridge serves display \(address.name); 'pasteboard desktop' is one"
        }
        return "a bridge to display \(address.name) runs"
    }

    private static func tar() throws -> String {
        let path = try SystemProgram.path(of: "tar")
        // Other programs of this name are usually links. None is run, because doctor starts nothing.
        let target = (try? System.linkTarget(path))?.description ?? path
        guard !["busybox", "toybox", "bsdtar"].contains(where: target.contains) else {
            throw CommandFailure(local: "\(path) is \(target), and folders need GNU tar; install it")
        }
        return path
    }
}
