import BrokerState
import PasteboardTransport
import PasteboardWire

/// The options of a broker: those of the configuration file, overridden by the limits of the environment, and both by
/// the command line.
struct DaemonOptions {
    var socket: String?
    var limits = BrokerLimits.standard
    var readyDescriptor: CInt?
    /// The file for messages; nil for standard error.
    var log: String?
    /// Whether the program takes the place of the running broker.
    var replaces = false
    var showsHelp = false

    /// The variable with limits: assignments `NAME=VALUE`, separated by white space.
    private static let limitsVariable = "PASTEBOARD_LIMITS"

    init(_ arguments: [String]) throws(Failure) {
        try readConfiguration()
        try readEnvironment()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // Split as bytes: splitting characters would load the tables of Unicode at each start.
            let parts = argument.utf8
                .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            func value() throws(Failure) -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = rest.popFirst() else { throw Failure(.invalidArgument, "\(argument) needs a value") }
                return next
            }
            switch parts[0] {
            case "--socket":
                let path = try value()
                guard path.hasPrefix("/") else {
                    throw Failure(.invalidArgument, "--socket \(path): the path must be absolute")
                }
                socket = path
            case "--limit":
                try limits.set(try value())
            case "--ready-fd":
                guard let number = CInt(try value()), number > 2 else {
                    throw Failure(.invalidArgument, "--ready-fd needs the number of an open descriptor greater than 2")
                }
                readyDescriptor = number
            case "--log":
                log = try value()
            case "--replace":
                replaces = true
            case "--help", "-h":
                showsHelp = true
            default:
                throw Failure(.invalidArgument, "unknown argument '\(argument)'; see --help")
            }
        }
    }

    func socketPath() throws(Failure) -> SocketPath {
        if let socket { return SocketPath(socket, isWellKnown: false) }
        return try SocketPath.wellKnown(environment: System.environment)
    }

    /// Sets a limit that does not come from the command line.
    private mutating func set(_ assignment: String, from place: String) throws(Failure) {
        do throws(Failure) {
            try limits.set(assignment)
        } catch {
            throw Failure(.invalidArgument, "\(place): \(error.text)")
        }
    }

    private mutating func readEnvironment() throws(Failure) {
        guard let text = System.secureEnvironment(Self.limitsVariable) else { return }
        for assignment in text.utf8.split(whereSeparator: { $0 <= UInt8(ascii: " ") }) {
            try set(String(decoding: assignment, as: UTF8.self), from: Self.limitsVariable)
        }
    }

    /// Reads lines of the form `NAME = VALUE`. `#` begins a comment. The file may be missing.
    private mutating func readConfiguration() throws(Failure) {
        func directory(_ name: String) -> String? {
            System.environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let base = directory("XDG_CONFIG_HOME") ?? directory("HOME").map({ "\($0)/.config" }) else { return }
        let path = "\(base)/pasteboard/config"
        guard let bytes = try? System.contents(of: path) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.prefix { $0 != "#" }
            guard text.contains(where: { $0 != " " && $0 != "\t" && $0 != "\r" }) else { continue }
            try set(String(text), from: "\(path), line \(index + 1)")
        }
    }
}
