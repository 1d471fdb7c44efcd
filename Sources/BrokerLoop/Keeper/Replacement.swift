import Glibc
import PasteboardTransport
import PasteboardWire

/// A program that takes the place of a running broker: the request to the keeper, and the answer.
///
/// The request names the program by its path. The keeper runs what is there in its own file system, and only for a
/// process that could run it itself: one of the same user and in the same namespaces, not in a container, and not a
/// broker.
struct Replacement {
    /// The times in milliseconds that the keeper grants.
    enum Time {
        /// For the running broker to release the socket, and for a killed one to end.
        static let release = 2_000
        /// For the new broker to let clients connect.
        static let ready = 5_000
        /// In which the new broker must not end. If it does, the earlier program is started again.
        static let probation = 5_000
        /// For the requester: all of them, and a margin.
        static let answer = 2 * release + ready + 2_000
    }

    let program: String
    let arguments: [String]
    private let answer: DescriptorBox

    /// Reads the request; nil if the message is another one.
    init?(_ message: NotificationSocket.Message) {
        // The list has to be sealed: sealing it here could keep the keeper waiting while its pages are in use.
        guard message["REPLACE"] == "1", message.descriptors.count == 2,
            let list = try? MemoryFile(sealed: message.descriptors[0])?.contents(limit: 1 << 20)
        else { return nil }
        let words = list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard let program = words.first, program.hasPrefix("/") else { return nil }
        self.program = program
        arguments = Array(words.dropFirst())
        answer = message.descriptors[1]
    }

    /// The reason to refuse a request of this sender; nil if there is none.
    static func refusal(of message: NotificationSocket.Message) -> String? {
        guard message.user == System.userID else { return "process \(message.sender) belongs to user \(message.user)" }
        for name in ["mnt", "pid", "user"] {
            guard let own = try? System.linkTarget("/proc/self/ns/\(name)"),
                let other = try? System.linkTarget("/proc/\(message.sender)/ns/\(name)"), own == other
            else { return "process \(message.sender) is in another \(name) namespace, or cannot be examined" }
        }
        // A broker gives up running programs, so it must not have one run by its keeper. Its children have the same
        // mark.
        let field = "NoNewPrivs"
        guard let own = System.status(field, of: System.processID),
            let other = System.status(field, of: message.sender), other <= own
        else { return "process \(message.sender) has given up privileges that the keeper has" }
        return nil
    }

    /// The arguments of the new broker: its own, and those options of the earlier one that it is not given.
    static func arguments(_ new: [String], after earlier: [String]) -> [String] {
        // The descriptor was that of the earlier start.
        let given = Set(options(new).map(\.name) + ["--ready-fd"])
        return new + options(earlier).filter { !given.contains($0.name) }.map(\.text)
    }

    /// The options with their values. The name of `--limit` includes that of the limit, so that each limit counts by
    /// itself.
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
            let words = [try System.programPath()] + arguments.filter { $0 != "--replace" }
            let list = try MemoryFile()
            try list.append(Array(words.joined(separator: "\0").utf8).span)
            try list.seal()
            let pipe = try System.pipe()
            guard case .sent = keeper.send("REPLACE=1", [list.descriptor.raw, pipe.second.raw]) else {
                throw SystemError(call: "notify", errno: ECONNREFUSED, subject: "the keeper at \(path.keeper)")
            }
            let answer = pipe.keepingFirst()
            let readiness = try System.poll([PollInterest(answer.raw, .readable)], milliseconds: Time.answer)
            guard readiness[0] != [] else {
                throw SystemError(
                    call: "replace",
                    errno: ETIMEDOUT,
                    subject: "the keeper of the broker at \(path.path)"
                )
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
