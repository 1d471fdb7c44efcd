import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

// The contents of a board without their bytes, as text and as JSON.

extension BoardListing {
    /// The contents of a board, which are empty if no broker is running.
    static func present(on board: String, _ loop: Loop) async throws -> BoardListing {
        guard let brokers = try await Brokers.holding(on: loop) else { return BoardListing() }
        return try await brokers.recovering { try await $0.listing(of: board) }
    }

    /// Prints the contents of a board, with --json also those of an empty one.
    ///
    /// - Parameter text: makes the text of contents that are not empty.
    /// - Returns: the exit code, which is 1 for an empty board.
    static func print(_ board: String, on loop: Loop, text: (BoardListing) -> String) async throws -> CInt {
        let listing = try await present(on: board, loop)
        let isEmpty = listing.contents.handle == nil
        guard !isEmpty || Invocation.current.isJSON else {
            throw Failure.empty(board, cleared: listing.contents.clearedMilliseconds)
        }
        try StandardStreams.print(text(listing), json: listing.json(of: board))
        return isEmpty ? 1 : 0
    }

    /// One line for each type.
    var typesText: String {
        let rows = items.enumerated().flatMap { index, item in
            item.representations.map { representation in
                var row = [
                    UniformType.readable(representation.type), representation.byteCount.map { String($0) } ?? "-",
                    representation.state,
                ]
                if items.count > 1 { row.append("item \(index + 1)") }
                return row + [item.suggestedName ?? ""]
            }
        }
        return TextTable.text(rows)
    }

    func json(of board: String) -> JSONValue {
        let items = self.items.map { item in
            JSONValue.object([
                ("name", JSONValue(item.suggestedName)),
                (
                    "types",
                    .array(
                        item.representations.map { representation in
                            let type = UniformType(of: representation)
                            return [
                                "type": .string(representation.type),
                                "mime": JSONValue(type.preferredMIMEType),
                                "extension": JSONValue(type.preferredFilenameExtension),
                                "size": JSONValue(representation.byteCount),
                                "state": .string(representation.state),
                                "supertypes": .array(type.supertypeIdentifiers.map { .string($0) }),
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
            "owner": .object(JSONValue.program(contents.ownerLabel, contents.ownerProcess)),
            "milliseconds": JSONValue(contents.milliseconds),
            "version": JSONValue(contents.version ?? 0),
            "terms": contents.terms?.json ?? .null,
            // Present only if the pasteboard is empty because it was cleared to make room for others.
            "clearedMilliseconds": JSONValue(contents.clearedMilliseconds),
            "items": .array(items),
        ]
    }
}

extension Representation {
    fileprivate var state: String {
        switch provision ?? .absent {
        case .promised: "promised"
        case .kept: "kept"
        default: "gone"
        }
    }
}
