import PasteboardClient
import PasteboardWire

/// Lists the links of this machine.
struct LinksCommand: Command {
    static let syntax = CommandSyntax(
        "links",
        "lists the links to other machines",
        options: [.timeout, .label, .json],
        examples: "pasteboard links",
        notes: """
            Prints one line for each link: its name, its process, since when it is connected, and how many bytes have come
            in, because they were pasted here, and gone out. A link that another machine has made to this one is listed,
            too; its process is that of 'pasteboard connect'.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        let peers = try await Brokers.statusOfRunning(on: loop).compactMap(\.peer)
        try StandardStreams.print(peers.filter { $0.isLink == true }.map(\.linkRow))
        return 0
    }
}
