import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Links the pasteboards of this machine with those of another one.
struct LinkCommand: Command {
    static let syntax = CommandSyntax(
        "link",
        "links the pasteboards of this machine with another's, over ssh",
        operands: "[USER@]HOST",
        options: [
            .init("--board", short: "-b", value: "NAME", "a pasteboard that crosses, repeatable; by default general"),
            .init("--only", value: "send|receive", "only from this machine, or only to it"),
            .init("--share", value: "sensitive|transient", "contents that do not cross otherwise, repeatable"),
            .init("--as", value: "NAME", "the name of this machine on the other one; by default its host name"),
            .via,
            .init("--silence", value: "DURATION", "the time after which a silent machine is lost; by default 15s"),
            .init("--quiet", short: "-q", "suppresses notes; errors are still printed"),
        ],
        broker: .started,
        examples: """
            pasteboard link buildhost
            pasteboard link --only receive --board notes you@buildhost
            pasteboard link db --via 'docker exec -i db pasteboard connect --silence 25s'
            """,
        exit: "that of a signal; 3 if a broker is stopped or the first connection fails; 9 if the other one is too old",
        files: [("~/.ssh/config", "the names of machines")],
        notes: """
            What is copied on one machine can be pasted on the other, with its names and types. Only the list of types
            crosses until somebody pastes; then the bytes are made and sent, however large they are. What an offer on
            this machine promises is made here when it is pasted there.

            A copy that is made after the other machine's contents have arrived wins; otherwise the later one does, by
            the clocks of the machines. A clear crosses, too. Sensitive and transient contents, and those copied with --local, do not cross; --share sensitive and --share transient let the first
            two cross.

            HOST is a name that ssh knows: keys, jump hosts and ports are those of its configuration. The other machine
            needs pasteboard in the PATH of its shell or in ~/.local/bin. With --via, HOST is only a name, and COMMAND
            is run by the shell.

            The link runs until a signal ends it. When the connection is lost, what came over it is withdrawn at once,
            loads that wait fail with 3, and the link connects again. 'pasteboard links' lists the links of this machine.
            """
    )

    private let link: StandingLink

    init(_ arguments: ParsedArguments) throws {
        guard let operand = arguments.operands.first?.text, arguments.operands.count == 1 else {
            throw CommandFailure(usage: "name one machine: pasteboard link [USER@]HOST")
        }
        var permits = LinkedBoard.Permits()
        for kind in try arguments.values("--share") {
            switch kind {
            case "sensitive": permits.concealed = true
            case "transient": permits.transient = true
            default: throw CommandFailure(usage: "invalid value '\(kind)' of --share; write sensitive or transient")
            }
        }
        let sides: [Link.Side]
        switch try arguments.value("--only") {
        case nil: sides = Link.Side.allCases
        case "send": sides = [.near]
        case "receive": sides = [.far]
        case let other?: throw CommandFailure(usage: "invalid value '\(other)' of --only; write send or receive")
        }
        link = StandingLink(
            to: try Self.checked(operand),
            as: try Self.name(arguments) ?? MachineName.current,
            via: try Self.via(arguments),
            boards: try arguments.boards(),
            from: sides,
            permits: permits,
            silence: try arguments.value("--silence").map { try TimeoutArgument($0).milliseconds } ?? 15_000
        )
    }

    func run(on loop: Loop) async throws -> CInt {
        try await link.run(on: loop)
    }
}

extension LinkCommand {
    /// The name of a machine, which ssh must not take for an option.
    static func checked(_ operand: String) throws(CommandFailure) -> String {
        guard isName(operand) else {
            throw CommandFailure(usage: "invalid machine '\(operand)'; write [USER@]HOST")
        }
        return operand
    }

    private static func name(_ arguments: ParsedArguments) throws(CommandFailure) -> String? {
        let name = try arguments.value("--as")
        guard name.map(isName) != false else {
            throw CommandFailure(usage: "invalid name '\(name ?? "")' of --as; write at most 128 bytes, no '-' first")
        }
        return name
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && text.utf8.count <= 128
    }

    static func via(_ arguments: ParsedArguments) throws(CommandFailure) -> String? {
        let command = try arguments.value("--via")
        guard command?.isEmpty != true else { throw CommandFailure(usage: "the command of --via is empty") }
        return command
    }
}

extension CommandSyntax.Option {
    static let via = Self(
        "--via",
        value: "COMMAND",
        "reaches 'pasteboard connect' by this shell command instead of ssh"
    )
}
