import Glibc
import PasteboardClient
import PasteboardTransport

/// A broker of its own for this process and for the programs that it starts, at a socket in a temporary directory.
struct PrivateBroker {
    /// The time in milliseconds for the broker to end, which includes that of the limit `drain`.
    static let timeout = 10_000

    private let directory: String

    /// Starts the broker, and sets the variables for it, for the programs, and for a broker that they start.
    ///
    /// - Parameters:
    ///   - kind: a part of the directory's name.
    ///   - limits: limits of the broker, each as `NAME=VALUE`.
    private init(_ kind: String, limits: [String]) throws {
        let random = try System.randomBytes(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        directory = SocketPath.temporary("\(Self.prefix(kind))\(random)").directory
        Self.removeAbandoned(kind, in: System.directory(of: directory))
        let (name, given) = ("PASTEBOARD_LIMITS", limits.map { $0.filter { $0 != " " && $0 != "\t" } })
        let all = ["idle-exit=30s", System.secureEnvironment(name) ?? "", "kept-on-disk=0"] + given
        try System.setEnvironment(name, to: all.filter { !$0.isEmpty }.joined(separator: " "))
        try System.setEnvironment("PASTEBOARD_SOCKET", to: "\(directory)/socket")
        do {
            try BrokerConnector().startOwn()
        } catch {
            BrokerStart.endAll(milliseconds: Self.timeout)
            Self.remove(directory)
            throw error
        }
    }

    /// Starts a broker as `init` does, runs `body`, ends the broker and removes its directory.
    static func running<Value>(
        _ kind: String,
        limits: [String] = [],
        on loop: Loop,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let broker = try PrivateBroker(kind, limits: limits)
        do {
            let value = try await body()
            await broker.end(on: loop)
            return value
        } catch {
            await broker.end(on: loop)
            throw error
        }
    }

    private func end(on loop: Loop) async {
        BrokerStart.endAll(milliseconds: Self.timeout)
        // Another one, if a program has stopped the first.
        if let brokers = try? await Brokers.present(on: loop) {
            _ = try? await brokers.recovering { try await $0.stop() }
        }
        Self.remove(directory)
    }

    private static func prefix(_ kind: String) -> String { "pasteboard-\(kind)-" }

    private static func remove(_ path: String) {
        KeptDirectory.remove(for: SocketPath("\(path)/socket", isWellKnown: false))
        for file in ["socket", "socket.n", "socket.lock", "start.lock"] { try? System.unlink("\(path)/\(file)") }
        try? System.removeDirectory(path)
    }

    /// Removes the directories of one kind and of this user whose broker was killed together with the process that has
    /// started it.
    private static func removeAbandoned(_ kind: String, in parent: String) {
        guard let directory = try? System.open(parent, .directory),
            let names = try? System.entries(of: directory.raw)
        else { return }
        // The broker of a new directory may not have its lock yet.
        let newest = (Int64(time(nil)) - 60) * 1_000_000_000
        for name in names.map(\.description) where name.hasPrefix(prefix(kind)) {
            let path = "\(parent)/\(name)"
            let socket = SocketPath("\(path)/socket", isWellKnown: false)
            guard (try? socket.checkDirectory()) != nil, let status = try? System.status(at: path),
                status.modifiedAt < newest, let lock = try? BrokerLock(of: socket)
            else { continue }
            remove(path)
            _ = consume lock
        }
    }
}
