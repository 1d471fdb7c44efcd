import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The contents of a board, as the desktop sees them.
struct BoardContents: Sendable {
    /// A paste on the desktop, or the end of contents, after which a copy of them may appear.
    struct Paste: Sendable {
        /// The time in which a clipboard manager that has pasted contents may offer a copy of them, in nanoseconds.
        fileprivate static let takeover: UInt64 = 2_000_000_000

        let terms: ContentTerms?
        /// The time of these terms, and that of the paste (see `MonotonicClock`).
        let listedAt: UInt64
        let time: UInt64

        /// The flags and the lifetime that contents inherit if their program takes a selection at a time, because it
        /// may have left the hints out; nil if there were none, or at that time it cannot be a copy.
        func inheritedTerms(at now: UInt64) -> ContentTerms? {
            guard var terms, terms.needsHint, time..<time.addingClamped(Self.takeover) ~= now else { return nil }
            // A copy does not count its loads, but is not to be stored either.
            if exchange(&terms.maximumLoads, with: nil) != nil { terms.isTransient = true }
            let age = (now - min(now, listedAt)) / 1_000_000
            terms.expiresMilliseconds = terms.expiresMilliseconds.map { max(1, $0 - min($0, age)) }
            return terms
        }
    }

    /// The last pastes of contents with hints on a display. A manager may offer what it has pasted on any selection.
    final class LastPastes: Sendable {
        private let pastes = Lock<[Paste]>([])

        func note(_ paste: Paste) {
            guard paste.terms?.needsHint == true else { return }
            pastes.withLock { pastes in
                pastes.removeAll { $0.terms == paste.terms || $0.time + Paste.takeover < paste.time }
                pastes.append(paste)
            }
        }

        /// Counts the end of contents as a paste: a manager that has pasted them long before may offer them again.
        func noteEnd(_ terms: ContentTerms?, listedAt: UInt64) {
            // The manager may have the selection already.
            let now = MonotonicClock.now()
            let time = now - min(now, Paste.takeover / 2)
            note(Paste(terms: terms, listedAt: listedAt, time: time))
        }

        /// The flags and the lifetime that contents inherit if their program takes a selection at a time.
        func inheritedTerms(at time: UInt64) -> ContentTerms {
            pastes.withLock { $0 }.compactMap { $0.inheritedTerms(at: time) }.reduce(into: ContentTerms()) {
                all,
                terms in
                all.isConcealed = all.isConcealed ?? terms.isConcealed
                all.isTransient = all.isTransient ?? terms.isTransient
                all.isLocalOnly = all.isLocalOnly ?? terms.isLocalOnly
                all.expiresMilliseconds = [all.expiresMilliseconds, terms.expiresMilliseconds].compactMap(\.self).min()
            }
        }
    }

    /// The number of names that are shown. Hints and mark follow them.
    private static let mostNames = 500
    /// The bytes of the name by which clipboard managers know contents that they must not keep.
    private static let hint = Array("secret".utf8)

    let names: [String]
    let types: String
    let terms: ContentTerms?
    /// The contents for a display.
    let shown: DesktopContents

    init(
        _ listing: BoardListing,
        of board: String,
        isRemote: Bool,
        _ brokers: Brokers,
        pasted: @escaping @Sendable (Paste) -> Void,
        report: @escaping @Sendable (String) -> Void
    ) {
        let (terms, listedAt) = (listing.contents.terms, MonotonicClock.now())
        self.terms = terms
        let isLocal = isRemote && terms?.isLocalOnly == true
        let found = DesktopNames.names(of: listing).filter { name, source in
            // Paths mean nothing on another machine.
            if case .files = source, isRemote { return false }
            return !isLocal && !BridgeMark.isMark(name)
        }
        let sources = Dictionary(found.map { ($0.name, $0.source) }) { first, _ in first }
        names = found.prefix(Self.mostNames).map(\.name)
        types = listing.items.first?.representations.map { UniformType.readable($0.type) }.joined(separator: ", ") ?? ""
        let needsHint = terms?.needsHint == true
        let hints =
            (needsHint ? [ContentHints.passwordManager] : [])
            + (terms?.isLocalOnly == true ? [ContentHints.localOnly] : [])
        let mark = BridgeMark.name(of: listing.contents.origin ?? Origin())
        shown = DesktopContents(names + hints.filter { sources[$0] == nil } + [mark]) { name, expect, sink in
            do {
                switch sources[name] {
                case .type(let type, let item):
                    let accepts = [Accept(type.identifier, match: .exact)]
                    try await Self.load(listing, item, accepts, brokers, isText: false, expect, sink)
                case .text(let item):
                    try await Self.load(listing, item, DesktopNames.textAccepts, brokers, isText: true, expect, sink)
                case .files(let type): try await sink(FileList(of: listing.items)?.bytes(as: type) ?? [])
                case nil: return try await sink(name == ContentHints.passwordManager ? Self.hint : [])
                }
                // The program gets the last bytes, or their end, after this.
                pasted(Paste(terms: terms, listedAt: listedAt, time: MonotonicClock.now()))
                report("\(name) pasted on the desktop")
            } catch  where error.asFailure?.code == .superseded {
                // The bridge learns of a change up to 0.1 s later than a program that pastes right after a copy.
                let newer = try await brokers.recovering { try await $0.listing(of: board) }
                let contents = BoardContents(
                    newer,
                    of: board,
                    isRemote: isRemote,
                    brokers,
                    pasted: pasted,
                    report: report
                )
                // A program that has not seen their hints could store them.
                guard newer.contents.handle != listing.contents.handle, newer.contents.terms?.needsHint != true,
                    contents.names.contains(name)
                else {
                    report("\(name) was not pasted on the desktop: \(error.reason)")
                    throw error
                }
                try await contents.shown.transfer(name, expect: expect, sink)
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
        _ expect: ByteCount,
        _ sink: ByteSink
    ) async throws {
        guard let connection = try await brokers.connection() else { throw brokers.absence }
        var load = Load(listing.contents.handle, item: UInt32(clamping: item), accepts: accepts)
        load.preference = .acceptList
        var incoming = try await connection.load(load)
        let type = UniformType(incoming.answer.type ?? "")
        var reader = isText ? type.map { TextReader(of: $0) } : nil
        if reader == nil || type == .utf8PlainText, let count = incoming.answer.byteCount { expect(count) }
        while let bytes = try await incoming.next() {
            let bytes = try reader?.next(bytes.span) ?? bytes
            if !bytes.isEmpty { try await sink(bytes) }
        }
        if let rest = try reader?.finish(), !rest.isEmpty { try await sink(rest) }
    }
}

extension ContentTerms {
    /// Whether a history must not store the contents, or would use up their loads.
    fileprivate var needsHint: Bool {
        isConcealed == true || isTransient == true || isLocalOnly == true || maximumLoads != nil
    }
}
