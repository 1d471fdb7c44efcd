import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// Lists the types on a pasteboard.
struct TypesCommand: Command {
    static let syntax = CommandSyntax(
        "types",
        "lists the types on a pasteboard, without loading bytes",
        options: [.board, .primary, .quiet, .json],
        notes: """
            Prints one line for each type: the identifier (for a dynamic one, also the MIME type or extension that it
            represents), the size in bytes or '-', and the state: promised (made when it is pasted), kept (by the
            broker) or gone (with its source). If there are several items, the number of the item follows. The suggested
            name comes last.

            Ends with 1 if the pasteboard is empty; --json then also prints an empty list of items. Without a broker
            every pasteboard is empty; none is started.
            """
    )

    private let board: String
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        isJSON = arguments.has("--json")
    }

    func run() throws -> CInt {
        var list = List()
        list.board = board
        let listing = try Broker.running()?.list(list) ?? BoardListing()
        let isEmpty = listing.contents.handle == nil
        guard !isEmpty || isJSON else { throw Broker.nothing(on: board) }
        try StandardStreams.print(isJSON ? listing.json(of: board).line : Self.text(listing.items))
        return isEmpty ? 1 : 0
    }

    static func text(_ items: [Item]) -> String {
        let rows = items.enumerated().flatMap { index, item in
            item.representations.map { representation in
                var row = [
                    UniformType.readable(representation.type), representation.byteCount.map { String($0) } ?? "-",
                    state(of: representation),
                ]
                if items.count > 1 { row.append("item \(index + 1)") }
                return row + [item.suggestedName ?? ""]
            }
        }
        return TextTable.text(rows)
    }

    static func state(of representation: Representation) -> String {
        switch representation.provision ?? .absent {
        case .promised: "promised"
        case .kept: "kept"
        default: "gone"
        }
    }
}

extension BoardListing {
    func json(of board: String) -> JSONValue {
        let items = self.items.map { item in
            JSONValue.object([
                ("name", JSONValue(item.suggestedName)),
                (
                    "types",
                    .array(
                        item.representations.map { representation in
                            let type = UniformType(
                                identifier: representation.type,
                                supertypes: representation.supertypes
                            )
                            return [
                                "type": .string(representation.type),
                                "mime": JSONValue(type.preferredMIMEType),
                                "extension": JSONValue(type.preferredFilenameExtension),
                                "size": JSONValue(representation.byteCount),
                                "state": .string(TypesCommand.state(of: representation)),
                                "supertypes": .array(representation.supertypes.map { .string($0) }),
                            ]
                        }
                    )
                ),
                ("title", JSONValue(item.title)),
            ])
        }
        return [
            "board": .string(board),
            "changeCount": JSONValue(contents.changeCount),
            // Beyond what a JSON number carries exactly in many programs.
            "epoch": JSONValue(contents.epoch.map { String($0) }),
            "owner": [
                "process": JSONValue(contents.ownerProcess), "label": JSONValue(contents.ownerLabel),
            ],
            "milliseconds": JSONValue(contents.milliseconds),
            "version": JSONValue(contents.version ?? 0),
            "terms": contents.terms?.json ?? .null,
            "items": .array(items),
        ]
    }
}
