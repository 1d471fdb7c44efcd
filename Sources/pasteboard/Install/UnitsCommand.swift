import PasteboardClient
import PasteboardTransport

/// Prints the units with which systemd starts the broker.
struct UnitsCommand: Command {
    static let syntax = CommandSyntax(
        "units",
        "prints the user units with which systemd starts the broker and the bridge to the desktop",
        operands: "[socket|service|desktop]",
        options: [.prefix],
        broker: .none,
        examples: """
            pasteboard units
            pasteboard units --prefix /usr service
            systemctl --user enable --now pasteboard.socket
            """,
        files: [("PREFIX/share/systemd/user", "where 'install' writes them")],
        notes: """
            Prints pasteboard.socket, pasteboard.service and pasteboard-desktop.service, or one of them. The services run
            PREFIX/bin/pasteboard. When the socket is enabled, systemd starts the broker at the first connection. When
            pasteboard-desktop.service is enabled, it runs 'pasteboard desktop' in each graphical session.
            """
    )

    /// The operands, and the files of the units.
    static let names = ["socket", "service", "desktop"]

    static func file(_ name: String) -> String {
        name == "desktop" ? "pasteboard-desktop.service" : "pasteboard.\(name)"
    }

    private let chosen: [String]
    private let prefix: String?

    init(_ arguments: ParsedArguments) throws {
        prefix = arguments.has("--prefix") ? try arguments.prefix() : nil
        let operands = arguments.operands.map(\.description)
        guard operands.isEmpty || operands.count == 1 && Self.names.contains(operands[0]) else {
            throw CommandFailure(
                usage: "write pasteboard units, or one of: pasteboard units \(Self.names.joined(separator: "|"))"
            )
        }
        chosen = operands.isEmpty ? Self.names : operands
    }

    func run(on loop: Loop) async throws -> CInt {
        try StandardStreams.print(chosen.map { Self.text(of: $0, below: prefix) }.joined(separator: "\n"))
        return 0
    }

    /// - Parameter prefix: nil for `~/.local`.
    static func text(of unit: String, below prefix: String?) -> String {
        switch unit {
        case "socket":
            """
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
        case "desktop":
            """
            # pasteboard-desktop.service
            [Unit]
            Description=Bridge between the pasteboards and the desktop's clipboard
            PartOf=graphical-session.target
            After=graphical-session.target

            [Service]
            ExecStart=\(program(below: prefix)) desktop
            Restart=on-failure

            [Install]
            WantedBy=graphical-session.target

            """
        default:
            """
            # pasteboard.service
            [Unit]
            Description=Pasteboard broker

            [Service]
            Type=notify
            ExecStart=\(program(below: prefix)) broker
            Restart=on-failure

            """
        }
    }

    /// The program's path as systemd reads it.
    private static func program(below prefix: String?) -> String {
        guard let prefix, prefix != ParsedArguments.standardPrefix else { return "%h/.local/bin/pasteboard" }
        let escapes: [Character: String] = ["%": "%%", "\\": "\\\\", "\"": "\\\""]
        return "\"\(prefix.map { escapes[$0] ?? String($0) }.joined())/bin/pasteboard\""
    }
}
