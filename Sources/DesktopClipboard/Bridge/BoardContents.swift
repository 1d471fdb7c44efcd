import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The contents of a board, as the desktop sees them.
struct BoardContents: Sendable {
    /// A paste on the desktop.
    struct Paste: Sendable {
        /// The time in which a clipboard manager that has pasted contents may offer a copy of them, in nanoseconds.
        private static let takeover: UInt64 = 1_000_000_000

        let terms: ContentTerms?
        /// The time of these terms, and that of the paste (see `MonotonicClock`).
        let listedAt: UInt64
        let time: UInt64

        /// The flags and the lifetime of what a program has on the selection now: a copy of secret contents is secret,
        /// too, although the manager may have left their hints out.
        func inheritedTerms(at now: UInt64) -> ContentTerms {
            guard var terms, terms.isConcealed == true, now < time.addingClamped(Self.takeover) else {
                return ContentTerms()
            }
            terms.maximumLoads = nil
            let age = (now - min(now, listedAt)) / 1_000_000
            terms.expiresMilliseconds = terms.expiresMilliseconds.map { max(1, $0 - min($0, age)) }
            return terms
        }
    }

    /// The number of names that are shown. Hints and mark follow them.
    private static let mostNames = 500
    /// The bytes of the name by which clipboard managers know contents that they must not keep.
    private static let hint = Array("secret".utf8)

    let names: [String]
    let types: String
    /// The contents for a display.
    let shown: DesktopContents

    init(
        _ listing: BoardListing,
        isRemote: Bool,
        _ brokers: Brokers,
        pasted: @escaping @Sendable (Paste) -> Void,
        report: @escaping @Sendable (String) -> Void
    ) {
        let (terms, listedAt) = (listing.contents.terms, MonotonicClock.now())
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
        let hints =
            (needsHint ? [ContentHints.passwordManager] : [])
            + (terms?.isLocalOnly == true ? [ContentHints.localOnly] : [])
        let mark = BridgeMark.name(of: listing.contents.origin ?? Origin())
        shown = DesktopContents(names + hints.filter { sources[$0] == nil } + [mark]) { name, sink in
            do {
                switch sources[name] {
                case .type(let type, let item):
                    let accepts = [Accept(type.identifier, match: .exact)]
                    try await Self.load(listing, item, accepts, brokers, isText: false, sink)
                case .text(let item):
                    try await Self.load(listing, item, DesktopNames.textAccepts, brokers, isText: true, sink)
                case .files(let type): try await sink(FileList(of: listing.items)?.bytes(as: type) ?? [])
                case nil: return try await sink(name == ContentHints.passwordManager ? Self.hint : [])
                }
                // The program gets the last bytes, or their end, after this.
                pasted(Paste(terms: terms, listedAt: listedAt, time: MonotonicClock.now()))
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
