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
        var links: [PeerStatus] = []
        if let brokers = try await Brokers.running(on: loop) {
            links = try await brokers.recovering { try await $0.status() }.compactMap(\.peer).filter {
                $0.isLink == true
            }
        }
        try StandardStreams.print(TextTable.text(links.map(\.linkRow)), json: .array(links.map(\.linkJSON)))
        return 0
    }
}

extension PeerStatus {
    fileprivate var linkRow: [String] {
        [
            label ?? "-", "process \(process ?? 0)", "for \(TimeSpan.text(milliseconds: milliseconds ?? 0))",
            "\(ByteCount.text(sentBytes ?? 0)) in", "\(ByteCount.text(receivedBytes ?? 0)) out",
        ]
    }

    fileprivate var linkJSON: JSONValue {
        [
            "label": JSONValue(label), "process": JSONValue(process), "milliseconds": JSONValue(milliseconds ?? 0),
            "bytesIn": JSONValue(sentBytes ?? 0), "bytesOut": JSONValue(receivedBytes ?? 0),
        ]
    }
}
