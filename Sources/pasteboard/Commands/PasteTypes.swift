import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The types that `paste` requests: those of -t, otherwise text and the types that the output file suggests.
struct PasteTypes {
    /// The types of -t.
    let requested: [UniformType]
    /// The types that the extension of the output file names.
    let ofOutput: [UniformType]
    /// Whether folders are pasted as trees, and not as archives.
    private let isIntoDirectory: Bool

    init(requested: [UniformType], output: SystemString?, isIntoDirectory: Bool) {
        self.requested = requested
        self.isIntoDirectory = isIntoDirectory
        ofOutput = output.map { FileType.declaredTypes(forFileNamed: $0.description) } ?? []
    }

    /// Whether no type was passed with -t.
    var isOpen: Bool { requested.isEmpty }

    /// The accept list for one item.
    var accepts: [Accept] {
        guard isOpen else { return wanted }
        let text = accepts(.plainText) + [Accept(UniformType.text.identifier)]
        return ofOutput.flatMap(accepts) + text + [Accept("", match: .any)]
    }

    /// The accept list of the types of -t.
    var wanted: [Accept] { Array(requested.flatMap(accepts).prefix(WireLimits.accepts)) }

    /// The accept list of a type. Plain text is preferred to other text, such as markup, and an encoding that can
    /// represent every character to others. Other encodings become UTF-8 when they arrive.
    private func accepts(_ type: UniformType) -> [Accept] {
        func conforming(_ types: [UniformType]) -> [Accept] { types.map { Accept($0.identifier) } }
        switch type {
        case .text: return DesktopNames.textAccepts
        case .plainText, .utf8PlainText:
            return conforming(UniformType.unicodeTexts + [.plainText])
        // The bytes of a folder are a tar archive.
        case .tarArchive where !isIntoDirectory: return conforming([.tarArchive, .folder])
        default: return conforming([type])
        }
    }

    /// Whether the first -t that a type answers requests UTF-8, whatever the encoding of the type.
    func asksForUTF8(answeredBy type: UniformType) -> Bool {
        let answered = requested.first { type.conforms(to: $0 == .utf8PlainText ? .plainText : $0) }
        return answered.map { [.text, .plainText, .utf8PlainText].contains($0) } ?? false
    }

    /// The representation of an item that a load with an accept list gets, if its contents stay as they were listed.
    static func choice(of accepts: [Accept], in item: Item) -> Representation? {
        let list = AcceptList(accepts, preference: .acceptList)
        let present = item.representations.filter { $0.provision != .gone }
        return list.choose(among: Conformance.TypeIndex(present)).map { present[$0] }
    }

    /// The indices of the items that have one of the requested types; throws if there is none.
    func indices(among items: [Item]) throws -> [UInt32] {
        let accepts = AcceptList(self.wanted)
        let indices = items.indices.filter { index in
            accepts.choose(among: Conformance.TypeIndex(items[index].representations)) != nil
        }
        guard indices.isEmpty else { return indices.map { UInt32(clamping: $0) } }
        let wanted = requested.map { UniformType.readable($0.identifier) }.joined(separator: ", ")
        throw Failure(.typeUnavailable, "no representation is of type \(wanted)", detail: Self.types(of: items))
    }

    /// One line for each type of a single item, else for each item; no more lines than a terminal shows.
    private static func types(of items: [Item]) -> String {
        guard items.count > 1 else { return items.flatMap { $0.representations.map(\.type) }.joined(separator: "\n") }
        var lines = items.prefix(20).enumerated().map { index, item in
            "item \(index + 1): \(item.representations.map { UniformType.readable($0.type) }.joined(separator: ", "))"
        }
        if items.count > lines.count { lines.append("and \(items.count - lines.count) more items") }
        return lines.joined(separator: "\n")
    }
}
