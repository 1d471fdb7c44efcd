import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// An offer of promises for what a program of the desktop has on a selection.
final class DesktopOffer: Sendable {
    /// The bytes that are kept at once.
    private static let keptAtOnce: UInt64 = 16 << 20
    /// The time in which they are to be there, in milliseconds.
    private static let keepingTime = 5_000

    let contents: DesktopContents
    /// The terms without those of their hints, and with them.
    let (terms, allTerms): (ContentTerms, ContentTerms?)
    private let display: UInt64
    private let items: [Item]
    private let names: [String]
    private let isConcealed: Bool
    private let offer: Offer
    private let files: DesktopFiles?
    private let keeping = Lock<Task<Void, Never>?>(nil)
    private let isKept = Lock(false)
    /// The reason why the promises have ended; nil before that.
    private let reason = Lock<EndReason?>(nil)

    /// nil if the contents have no types.
    ///
    /// - Parameters:
    ///   - files: the files of their list.
    ///   - display: the number of their display.
    ///   - origin: that of the mark with this number, or the number alone.
    ///   - terms: those that they have beside those of their hints.
    init?(
        _ contents: DesktopContents,
        with files: DesktopFiles?,
        on selection: Selection,
        of display: UInt64,
        from origin: Origin,
        on terms: ContentTerms,
        isRemote: Bool,
        _ brokers: Brokers,
        _ options: DesktopBridge.Options
    ) {
        var found = DesktopNames.representations(of: contents.names.filter { !BridgeMark.isMark($0) })
        // Only this bridge gives that sign, as one more type.
        found.removeAll { UniformType(of: $0.representation) == FileList.followed }
        if files != nil { found = Array(found.prefix(WireLimits.representations - 1)) }
        guard !found.isEmpty else { return nil }
        var item = Item()
        item.representations = found.map(\.representation)
        allTerms = ContentTerms.terms(terms, withHintsIn: contents.names)
        // The paths of a list are those of this machine.
        if !isRemote, DesktopFiles.list(in: contents) != nil { item.teamData = FileOrigin(path: "")?.teamData }
        if files != nil, let type = FileList.followed { item.representations.append(Representation(of: type)) }
        let items = [item] + (files?.items ?? [])
        let names = found.map(\.name)
        (self.contents, self.terms, self.display) = (contents, terms, display)
        (self.items, self.names, self.files) = (items, names, files)
        var write = Write()
        write.board = selection.board
        write.terms = allTerms
        if write.terms != nil { write.requires = [Feature.terms.rawValue] }
        write.origin = origin
        write.requires.append(Feature.links.rawValue)
        isConcealed = write.terms?.isConcealed == true
        let report = options.report
        offer = Offer(write, items, at: brokers) { [answer = files?.answer] ask in
            if ask.item > 0, let answer { return try await answer(ask) }
            // The sign that files follow has no bytes.
            if ask.representation == names.count, answer != nil { return ask.end() }
            guard names.indices.contains(ask.representation) else {
                throw Failure(.typeUnavailable, "the contents have no such type")
            }
            let name = names[ask.representation]
            do {
                try await contents.transfer(name) { try await ask.send($0) }
                report("\(selection.rawValue): pasted \(name) of the desktop")
                ask.end()
            } catch {
                report("\(selection.rawValue): \(name) of the desktop was not pasted: \(error.reason)")
                throw error
            }
        }
    }

    /// The contents in words.
    var text: String {
        let types = items[0].representations.prefix(names.count).map { UniformType.readable($0.type) }
        return types.joined(separator: ", ") + (items.count > 1 ? ", with the files" : "")
    }

    /// The publication at the present broker.
    var handle: UInt64? { offer.last?.committed.handle }

    /// Whether others have ended the promises, which have not expired and were not loaded for the last time.
    var isWithdrawn: Bool { reason.withLock { $0 == .replaced || $0 == .cleared } }

    /// Writes the promises, and starts a task that answers asks until they end, also at the next broker.
    func place() async throws {
        _ = try await offer.place()
        Task(executorPreference: offer.brokers.loop) {
            let reason = try? await self.offer.serve { reason in self.reason.withLock { $0 = reason } }
            if reason == nil { self.reason.withLock { $0 = .replaced } }
        }
    }

    /// Ends the promises, and clears the board if it still has these contents, with what is kept of them.
    ///
    /// - Parameter origin: that of the clear.
    func end(from origin: Origin? = nil) async {
        keeping.withLock(\.self)?.cancel()
        offer.end()
        await files?.stop()
        guard let last = offer.last else { return }
        let clear = Clear(offer.board, ifChangeCount: last.committed.changeCount, from: origin ?? Origin(of: display))
        _ = try? await last.connection.clear(clear, until: MonotonicClock.deadline(milliseconds: DesktopTime.answer))
    }

    // MARK: Keeping

    /// Starts the hand-over of a few bytes.
    func startKeeping() {
        keeping.withLock { task in
            task = Task(executorPreference: offer.brokers.loop) { _ = await self.handOver(upTo: Self.keptAtOnce) }
        }
    }

    /// Hands the bytes over.
    ///
    /// - Returns: whether the broker keeps all types of these contents, of an image one of them.
    func keep(upTo limit: UInt64) async -> Bool {
        await keeping.withLock(\.self)?.value
        return await handOver(upTo: limit)
    }

    /// Ends the promises, and leaves what the broker keeps.
    ///
    /// - Returns: whether it keeps any.
    func leave() async -> Bool {
        await keeping.withLock(\.self)?.value
        guard isKept.withLock(\.self) else { return false }
        offer.end()
        return true
    }

    /// - Returns: whether the broker keeps all that is to be kept.
    private func handOver(upTo limit: UInt64) async -> Bool {
        // Secrets end with their program.
        guard !isConcealed else { return false }
        let promises = promises
        let handingOver = HandingOver(
            of: offer,
            items,
            choosing: promises,
            byteLimit: limit,
            until: MonotonicClock.deadline(milliseconds: Self.keepingTime)
        ) { [contents, names] promise, acquire in
            let bytes = Lock<[UInt8]>([])
            try await contents.transfer(names[promise.representation]) { part in
                guard acquire(UInt64(part.count)) else { throw Failure(.tooLarge, "there are too many bytes to keep") }
                bytes.withLock { $0 += part }
            }
            return MadeBytes(bytes.withLock(\.self))
        }
        _ = try? await handingOver.run()
        let kept = handingOver.handOver.kept
        if !kept.isEmpty { isKept.withLock { $0 = true } }
        return kept.isSuperset(of: promises)
    }

    /// All but further images: programs offer one image in many formats, and would make each.
    private var promises: [HandOver.Promise] {
        var hasImage = false
        return names.indices.compactMap { index in
            if UniformType(of: items[0].representations[index]).conforms(to: .image), exchange(&hasImage, with: true) {
                return nil
            }
            return HandOver.Promise(item: 0, representation: index)
        }
    }
}
