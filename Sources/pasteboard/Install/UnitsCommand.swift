import PasteboardClient
import PasteboardTransport

/// Prints the units with which systemd starts the broker.
struct UnitsCommand: Command {
    static let syntax = CommandSyntax(
        "units",
        "prints the user units with which systemd starts the broker",
        operands: "[socket|service]",
        options: [.prefix],
        broker: .none,
        examples: """
            pasteboard units
            pasteboard units --prefix /usr service
            systemctl --user enable --now pasteboard.socket
            """,
        files: [("PREFIX/share/systemd/user", "where 'install' writes both units")],
        notes: """
            Prints pasteboard.socket and pasteboard.service, or one of them. The service runs PREFIX/bin/pasteboard.
            When the socket is enabled, systemd starts the broker at the first connection.
            """
    )

    static let names = ["socket", "service"]

    private let chosen: [String]
    private let prefix: String?

    init(_ arguments: ParsedArguments) throws {
        prefix = arguments.has("--prefix") ? try arguments.prefix() : nil
        let operands = arguments.operands.map(\.description)
        guard operands.isEmpty || operands.count == 1 && Self.names.contains(operands[0]) else {
            throw CommandFailure(usage: "write pasteboard units, pasteboard units socket, or pasteboard units service")
        }
        chosen = operands.isEmpty ? Self.names : operands
    }

    func run(on loop: Loop) async throws -> CInt {
        try StandardStreams.print(chosen.map { Self.text(of: $0, below: prefix) }.joined(separator: "\n"))
        return 0
    }

    /// - Parameter prefix: nil for `~/.local`.
    static func text(of unit: String, below prefix: String?) -> String {
        unit == "socket"
            ? """
            # pasteboard.socket
            [Unit]
            Description=Socket of the pasteboard broker

            [Socket]
            ListenStream=%t/pasteboard/socket
            SocketMode=0600
            DirectoryMode=0700

            [Install]
            WantedBy=sockets.target

            """
            : """
            # pasteboard.service
            [Unit]
            Description=Pasteboard broker

            [Service]
            Type=notify
            ExecStart=\(program(below: prefix)) broker
            Restart=on-failure

            """
    }

    /// The program's path as systemd reads it.
    private static func program(below prefix: String?) -> String {
        guard let prefix, prefix != ParsedArguments.standardPrefix else { return "%h/.local/bin/pasteboard" }
        let escapes: [Character: String] = ["%": "%%", "\\": "\\\\", "\"": "\\\""]
        return "\"\(prefix.map { escapes[$0] ?? String($0) }.joined())/bin/pasteboard\""
    }
}
