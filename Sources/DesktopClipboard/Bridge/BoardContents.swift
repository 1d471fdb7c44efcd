import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The contents of a board, as the desktop sees them.
struct BoardContents: Sendable {
    /// The number of names that are shown. Hint and mark follow them.
    private static let mostNames = 500
    /// The name by which clipboard managers know contents that they must not keep, and its bytes.
    private static let hint = (name: "x-kde-passwordManagerHint", bytes: Array("secret".utf8))

    let names: [String]
    let types: String
    /// The contents for a display.
    let shown: DesktopContents

    init(
        _ listing: BoardListing,
        isRemote: Bool,
        _ brokers: Brokers,
        report: @escaping @Sendable (String) -> Void
    ) {
        let terms = listing.contents.terms
        let isLocal = isRemote && terms?.isLocalOnly == true
        let found = DesktopNames.names(of: listing).filter { name, source in
            // Paths mean nothing on another machine.
            if case .files = source, isRemote { return false }
            return !isLocal && !BridgeMark.isMark(name)
        }
        let sources = Dictionary(found.map { ($0.name, $0.source) }) { first, _ in first }
        names = found.prefix(Self.mostNames).map(\.name)
        types = listing.items.first?.representations.map { UniformType.readable($0.type) }.joined(separator: ", ") ?? ""
        // A history must not store these contents, or would use up their loads.
        let needsHint =
            terms?.isConcealed == true || terms?.isTransient == true || terms?.isLocalOnly == true
            || terms?.maximumLoads != nil
        let hints = needsHint && sources[Self.hint.name] == nil ? [Self.hint.name] : []
        let mark = BridgeMark.name(of: listing.contents.origin ?? Origin())
        shown = DesktopContents(names + hints + [mark]) { name, sink in
            do {
                switch sources[name] {
                case .type(let type, let item):
                    let accepts = [Accept(type.identifier, match: .exact)]
                    try await Self.load(listing, item, accepts, brokers, isText: false, sink)
                case .text(let item):
                    try await Self.load(listing, item, DesktopNames.textAccepts, brokers, isText: true, sink)
                case .files(let type): try await sink(FileList(of: listing.items)?.bytes(as: type) ?? [])
                case nil: return try await sink(hints.contains(name) ? Self.hint.bytes : [])
                }
                report("\(name) pasted on the desktop")
            } catch {
                report("\(name) was not pasted on the desktop: \(error.reason)")
                throw error
            }
        }
    }

    private static func load(
        _ listing: BoardListing,
        _ item: Int,
        _ accepts: [Accept],
        _ brokers: Brokers,
        isText: Bool,
        _ sink: ByteSink
    ) async throws {
        guard let connection = try await brokers.connection() else { throw brokers.absence }
        var load = Load(listing.contents.handle, item: UInt32(clamping: item), accepts: accepts)
        load.preference = .acceptList
        var incoming = try await connection.load(load)
        let type = UniformType(incoming.answer.type ?? "")
        var reader = isText ? type.map { TextReader(of: $0) } : nil
        while let bytes = try await incoming.next() {
            let bytes = try reader?.next(bytes.span) ?? bytes
            if !bytes.isEmpty { try await sink(bytes) }
        }
        if let rest = try reader?.finish(), !rest.isEmpty { try await sink(rest) }
    }
}
