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
        let types = ofOutput + [.utf8PlainText, .plainText, .text]
        return types.map { Accept($0.identifier) } + [Accept("", match: .any)]
    }

    /// The accept list of the types of -t. Plain text is preferred to other text, such as markup.
    var wanted: [Accept] {
        let types = requested.flatMap { type -> [UniformType] in
            switch type {
            case .text: [.utf8PlainText, .plainText, .text]
            // The bytes of a folder are a tar archive.
            case .tarArchive where !isIntoDirectory: [.tarArchive, .folder]
            default: [type]
            }
        }
        return types.prefix(WireLimits.accepts).map { Accept($0.identifier) }
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
        let wanted = requested.map(\.identifier).joined(separator: ", ")
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
