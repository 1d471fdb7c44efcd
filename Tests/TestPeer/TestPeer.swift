import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A source or a destination in a separate process. A test controls it line by line on standard input, and it reports
/// each event in a line on standard output. So the test can end or stop it at an exact point of a load.
@main
enum TestPeer {
    private static let usage = """
        usage: test-peer source SOCKET [board=NAME] [bytes=N] [serve=N] [pass=KIND:WHAT] [once] [kept=N] [first-byte=N]
               test-peer destination SOCKET [board=NAME] [credit=N] [timeout=N] [hold] [takes-descriptor] [blind]
               test-peer storm SOCKET connections=N | connects=N | writes=N | drags=N | cancels=N

        A source promises one representation, with bytes=N one of a declared size, with `once` one that is
        asked for once and then kept, with kept=N it writes bytes that the broker keeps, with first-byte=N the loads of its
        promise end after N ms without a byte. It says `promised`, `asked`, `cancelled`, `replaced` and `lost CODE`, and does what it is told, one after the other, for the latest ask:
          send N        sends N bytes more, then says `sent TOTAL`
          half-frame N  announces a frame of 256 KiB and sends N bytes of it, then says `sent-part N`
          end           ends the answer, then says `ended`
          close         closes its connection, then says `closed`
          exit          exits
        With serve=N every ask gets N bytes and the end, without being told. With pass=KIND:WHAT every ask gets a
        descriptor, and it says `passed` or `unwelcome`: file:PATH, writable:PATH, name:PATH (opened by name only),
        memory:N, sealed:N, half-sealed:N, pipe:, socket:.

        A destination loads once, with timeout=N for N ms at most. It says `answered`, `bytes TOTAL` as they come, and at last `done TOTAL intact`,
        `done TOTAL damaged` or `failed CODE: TEXT`. With `hold` it never says that it has dealt with what came. With
        `takes-descriptor` it takes one, says `passed TOTAL sealed` or `passed TOTAL unsealed`, and holds it until it is
        told to exit. With `blind` it says `loading` and reads nothing.
          take N        says so of N bytes
          close, exit   as above

        A storm makes N requests of one kind as fast as it can, then says `done N` or `failed CODE: TEXT`. With
        `connections` it holds N connections until the end of its input, or until it has to exit.

        """

    /// The time in milliseconds for which it waits for its broker.
    private static let patience = 600_000

    static func main() {
        // A write to a dead peer has to return an error, not raise a signal.
        System.ignoreBrokenPipes()
        do {
            var arguments = CommandLine.arguments.dropFirst()
            guard let role = arguments.popFirst(), let path = arguments.popFirst() else { throw Misuse() }
            let options = try PeerOptions(arguments)
            switch role {
            case "source": try ScriptedSource(try connection(to: path), options).run()
            case "destination": try ScriptedDestination(try connection(to: path), options).run()
            case "storm":
                for kind in Storm.kinds {
                    if let count = try options.number(kind) { try Storm(path: path, count: count).run(kind) }
                }
            default: throw Misuse()
            }
        } catch {
            try? System.write(Array("test-peer: \(error)\n\(error is Misuse ? usage : "")".utf8).span, to: 2)
            exit(2)
        }
    }

    /// Connects without the usual checks of the socket, because a test may connect where it is not allowed.
    static func connection(to path: String) throws -> BlockingConnection {
        let connection = BlockingConnection(adopting: try connect(to: path), path: path)
        // The tests decide how long a broker may be silent.
        connection.io.timeouts.welcome = patience
        connection.io.timeouts.silence = patience
        connection.io.timeouts.probe = patience
        return connection
    }

    static func connect(to path: String) throws -> OwnedDescriptor {
        try Socket.connect(path: path, deadline: MonotonicClock.deadline(milliseconds: patience))
    }

    static func say(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: 1)
    }
}

struct Misuse: Error {}

/// Arguments of the forms `name=value` and `name`.
struct PeerOptions {
    private static let names: Set<Substring> = Set(Storm.kinds).union([
        "board", "bytes", "serve", "credit", "hold", "pass", "takes-descriptor", "blind", "once", "kept", "first-byte",
        "timeout",
    ])
    private var values: [Substring: Substring] = [:]

    init(_ arguments: ArraySlice<String>) throws {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard let name = parts.first, Self.names.contains(name) else {
                throw Misuse()
            }
            values[name] = parts.count == 2 ? parts[1] : ""
        }
    }

    func text(_ name: Substring) -> String? { values[name].map(String.init) }
    func has(_ name: Substring) -> Bool { values[name] != nil }

    func number(_ name: Substring) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= 0 else { throw Misuse() }
        return number
    }
}
