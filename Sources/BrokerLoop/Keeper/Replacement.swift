import Glibc
import PasteboardTransport
import PasteboardWire

/// A program that takes the place of a running broker: the message to the keeper, and the answer.
struct Replacement {
    /// The time for the new broker to let clients connect, in milliseconds.
    static let timeout = 20_000

    let program: DescriptorBox
    let arguments: [String]
    /// The time by which clients have to be able to connect to the new broker (see `MonotonicClock`); nil after the new
    /// broker was killed for missing it.
    var deadline: UInt64? = MonotonicClock.deadline(milliseconds: Self.timeout)
    private let answer: DescriptorBox

    /// Reads the request; nil if the message is another one.
    init?(_ message: NotificationSocket.Message) {
        // The list has to be sealed: sealing it here could keep the keeper waiting while its pages are in use.
        guard message["REPLACE"] == "1", message.descriptors.count == 3,
            let arguments = try? MemoryFile(sealed: message.descriptors[1])?.contents(limit: 1 << 20)
        else { return nil }
        program = message.descriptors[0]
        self.arguments = arguments.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        answer = message.descriptors[2]
    }

    /// The arguments of the new broker: its own, and those options of the earlier one that it is not given.
    static func arguments(_ new: [String], after earlier: [String]) -> [String] {
        // The descriptor was that of the earlier start.
        let given = Set(options(new).map(\.name) + ["--ready-fd"])
        return new + options(earlier).filter { !given.contains($0.name) }.map(\.text)
    }

    /// The options with their values. The name of `--limit` includes that of the limit, so that each limit counts by itself.
    private static func options(_ arguments: [String]) -> [(name: String, text: String)] {
        var options: [(name: String, text: String)] = []
        // The name of a command may precede them.
        var rest = arguments.drop { !$0.hasPrefix("-") }
        while var option = rest.popFirst() {
            if let value = rest.first, !value.hasPrefix("-") {
                option += "=\(value)"
                rest.removeFirst()
            }
            let words = option.hasPrefix("--limit=") ? 2 : 1
            let name = option.split(separator: "=").prefix(words).map { $0.filter { $0 != " " } }.joined(separator: "=")
            options.append((name, option))
        }
        return options
    }

    private static let success = "ok"

    /// Answers the program that has asked: nil if the new broker runs.
    func finish(_ error: String? = nil) {
        _ = System.writeIfReady(Array((error ?? Self.success).utf8).span, to: answer.raw)
    }

    /// Asks the keeper of the running broker to start this program, and waits until clients can connect to it.
    static func request(at path: SocketPath, arguments: [String]) throws(Failure) {
        guard let keeper = ServiceManager(at: path.keeper, capacity: 0) else {
            throw Failure(
                .brokerUnavailable,
                "no broker with a keeper runs at \(path.path); without --replace, this program starts one"
            )
        }
        let text = try asFailure { () throws(SystemError) in
            let own = try System.open("/proc/self/exe", .nameOnly)
            let list = try MemoryFile()
            try list.append(Array(arguments.filter { $0 != "--replace" }.joined(separator: "\0").utf8).span)
            try list.seal()
            let pipe = try System.pipe()
            guard case .sent = keeper.send("REPLACE=1", [own.raw, list.descriptor.raw, pipe.second.raw]) else {
                throw SystemError(call: "notify", errno: ECONNREFUSED, subject: "the keeper at \(path.keeper)")
            }
            let answer = pipe.keepingFirst()
            let readiness = try System.poll([PollInterest(answer.raw, .readable)], milliseconds: timeout + 5_000)
            guard readiness[0] != [] else {
                throw SystemError(call: "replace", errno: ETIMEDOUT, subject: "the broker at \(path.path)")
            }
            return String(decoding: try System.read(answer.raw, upTo: 4_096), as: UTF8.self)
        }
        guard text != success else { return }
        let ended =
            "the keeper of the broker at \(path.path) ended before a new broker ran; without --replace, this program starts "
            + "one"
        throw Failure(.brokerUnavailable, text.isEmpty ? ended : text)
    }
}
