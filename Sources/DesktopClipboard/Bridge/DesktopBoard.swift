import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// One board and one selection, which have the same contents.
///
/// A change of one side is written to the other one. The bridge recognizes its own contents: on the board by their
/// handle and their path, on the selection by their serial number, or by their mark if another program offers them.
final class DesktopBoard: Sendable {
    private enum Input: Sendable {
        case desktop(DesktopEvent)
        /// The board has changed, or a new broker has answered.
        ///
        /// - serial: that of the contents of the selection at that time.
        case board(isCleared: Bool, serial: UInt64?)
        /// The broker was stopped, or refuses the bridge.
        case lost(any Error)
    }

    /// The contents that both sides have, with the offer of those of the desktop.
    private enum Phase {
        case nothing
        case desktop(DesktopOffer)
        case board(handle: UInt64, BoardContents, isOfferedAgain: Bool = false)

        var shared: BridgeRules.Shared {
            switch self {
            case .nothing: .nothing
            case .desktop(let offer): .desktop(handle: offer.handle, isWithdrawn: offer.isWithdrawn)
            case .board(let handle, _, let isOfferedAgain): .board(handle: handle, isOfferedAgain: isOfferedAgain)
            }
        }

        /// The flags and the lifetime of the contents, and the time when they were known (see `MonotonicClock`).
        var terms: (ContentTerms?, at: UInt64) {
            switch self {
            case .nothing: (nil, 0)
            case .desktop(let offer): (offer.allTerms, offer.contents.time)
            case .board(_, let contents, _): (contents.terms, contents.time)
            }
        }
    }

    private struct State {
        var phase = Phase.nothing
        var rate = ChangeRate()
        /// The brokers whose contents were shown, the newest last.
        var epochs: [UInt64] = []
        /// The time of the last change of the board (see `MonotonicClock`).
        var lastChange: UInt64 = 0
    }

    /// The delay before a change that has failed is written again, in milliseconds.
    private static let retry = 500
    /// The number of earlier brokers that are remembered.
    private static let mostEpochs = 16
    /// The failures of a broker or display that was lost.
    private static let losses: [ErrorCode] = [
        .brokerUnavailable, .brokerRestarted, .brokerStopped, .linkDown, .timeout,
    ]

    private let selection: Selection
    private let display: any DesktopDisplay
    private let isRemote: Bool
    private let brokers: Brokers
    private let options: DesktopBridge.Options
    private let pastes: BoardContents.LastPastes
    private let inputs: Mailbox<Input>
    private let state = Lock(State())
    private var phase: Phase { state.withLock { $0.phase } }
    private var rules: BridgeRules {
        BridgeRules(display: display.number, isRemote: isRemote, keeps: options.keeps)
    }

    init(
        _ selection: Selection,
        of display: any DesktopDisplay,
        isRemote: Bool,
        _ brokers: Brokers,
        _ options: DesktopBridge.Options,
        _ pastes: BoardContents.LastPastes
    ) {
        (self.selection, self.display, self.isRemote) = (selection, display, isRemote)
        (self.brokers, self.options, self.pastes) = (brokers, options, pastes)
        inputs = Mailbox(on: brokers.loop)
    }

    func put(_ event: DesktopEvent) {
        if case .emptied = event { noteEnd() }
        // The newest of several changes replaces those that still wait.
        inputs.put(.desktop(event)) { [selection] input in
            if case .desktop(let other) = input {
                event.selection == selection && other.selection == selection
            } else {
                false
            }
        }
    }

    /// Serves both sides until the task is cancelled.
    func run() async throws {
        var watch: Task<Void, Never>?
        defer { watch?.cancel() }
        while true {
            // Meanwhile, changes replace those before them.
            try await pause()
            guard let input = await inputs.next() else { throw CancellationError() }
            do {
                // The watch starts after the first event of the desktop, so that its contents win at the start.
                defer { if watch == nil { watch = startWatch() } }
                switch input {
                case .desktop(let event):
                    try await handle(event)
                case .board(let isCleared, let serial):
                    state.withLock { $0.lastChange = MonotonicClock.now() }
                    try await boardChanged(isCleared: isCleared, from: phase, after: serial)
                case .lost(let error): throw DesktopBridge.BrokerLost(reason: error)
                }
            } catch {
                if error is DesktopBridge.BrokerLost { throw error }
                try Task.checkCancellation()
                report("not passed on: \(error.reason)")
                // The broker or the display may have been lost in the middle. A newer change counts instead.
                guard let code = error.asFailure?.code, Self.losses.contains(code) else { continue }
                await brokers.loop.sleep(until: MonotonicClock.deadline(milliseconds: Self.retry))
                inputs.putBack(input) { newer in
                    switch newer {
                    case .lost: true
                    case .desktop(let event): if case .desktop = input { event.selection != nil } else { false }
                    case .board: false
                    }
                }
            }
        }
    }

    /// Withdraws the promises of contents of the desktop.
    func end() async {
        if case .desktop(let offer) = state.withLock({ exchange(&$0.phase, with: .nothing) }) { await offer.end() }
    }

    private func startWatch() -> Task<Void, Never> {
        Task(executorPreference: brokers.loop) { [brokers, display, inputs, selection] in
            do {
                let watch = WatchOperation(selection.board, sinceChangeCount: 0)
                // Until it fails.
                let _: Bool = try await brokers.watching(watch) { event in
                    let change: Change? = if case .changed(let change, _) = event { change } else { nil }
                    let isCleared = change?.clearerProcess != nil
                    inputs.put(.board(isCleared: isCleared, serial: display.serial(of: selection))) { input in
                        if case .board(let other, _) = input { isCleared || !other } else { false }
                    }
                    return nil
                }
            } catch {
                inputs.put(.lost(error))
            }
        }
    }

    private func report(_ text: String) { options.report("\(selection.rawValue): \(text)") }

    /// Waits if changes come too fast.
    private func pause() async throws {
        let now = MonotonicClock.now()
        let (next, reports) = state.withLock { state in
            (state.rate.next, state.rate.next > now && state.rate.reports(at: now))
        }
        if reports {
            options.note(
                "\(selection.rawValue) changes more than \(ChangeRate.most) times a second; "
                    + "only the newest change crosses"
            )
        }
        if next > now { await brokers.loop.sleep(until: next) }
        try Task.checkCancellation()
    }

    private func enter(_ phase: Phase) { state.withLock { $0.phase = phase } }

    /// Remembers what ends now, because a clipboard manager may offer it again.
    private func noteEnd() {
        let (terms, time) = phase.terms
        pastes.noteEnd(terms, listedAt: time)
    }

    /// Enters a phase after a change has crossed.
    private func crossed(to phase: Phase, _ text: String) {
        state.withLock { state in
            state.phase = phase
            state.rate.count(at: MonotonicClock.now())
        }
        report(text)
    }

    // MARK: From the desktop to the board

    private func handle(_ event: DesktopEvent) async throws {
        switch event {
        case .changed(_, let contents):
            guard display.serial(of: selection) == contents.serial else { return }
            try await changed(to: contents)
        case .emptied(_, let isCleared):
            guard display.serial(of: selection) == nil else { return }
            try await emptied(isCleared: isCleared)
        case .saving(_, let answer):
            guard case .desktop(let offer) = phase else { return await answer(false) }
            await answer(await offer.keep(upTo: HandOver.byteLimit))
        }
    }

    /// - Parameter terms: those of an earlier offer of these contents.
    private func changed(to contents: DesktopContents, on terms: ContentTerms? = nil) async throws {
        let mark = BridgeMark.origin(in: contents.names)
        guard !isRemote || ContentTerms.terms(nil, withHintsIn: contents.names)?.isLocalOnly != true else {
            report("the contents stay on the machine of the display")
            // A clear of this display's own would be newer than the contents, and a link would bring it there.
            return try await emptied(isCleared: true, from: mark.flatMap { rules.origin(of: $0) })
        }
        guard let origin = rules.origin(of: mark) else {
            return report("the contents came through too many brokers and displays")
        }
        do {
            try await place(contents, from: origin, on: terms)
        } catch  where error.asFailure?.code == .superseded {
            guard let mark, try await isChosen(mark) else { return }
            try await place(contents, from: Origin(of: display.number), on: terms)
        }
    }

    /// Whether the user has chosen contents that the broker has refused.
    private func isChosen(_ mark: Origin) async throws -> Bool {
        if case .board(let handle, let contents, _) = phase {
            enter(.board(handle: handle, contents, isOfferedAgain: true))
        }
        let (listing, board) = try await list()
        let (epochs, lastChange) = state.withLock { ($0.epochs, $0.lastChange) }
        let age = min((MonotonicClock.now() - lastChange) / 1_000_000, listing.contents.milliseconds ?? .max)
        return rules.isChosen(mark, at: board, epochs: epochs, age: age)
    }

    /// Promises contents of the selection on the board.
    private func place(_ contents: DesktopContents, from origin: Origin, on terms: ContentTerms?) async throws {
        var files: DesktopFiles?
        let terms = terms ?? pastes.inheritedTerms(at: contents.time)
        let isSecret = ContentTerms.terms(terms, withHintsIn: contents.names)?.isConcealed == true
        if !isRemote, !isSecret, let name = DesktopFiles.list(in: contents), let promising = options.promiseFiles {
            let before = try await list().0.contents.changeCount
            files = await DesktopFiles.read(name, of: contents, on: brokers.loop, promising)
            // Contents that either side has got meanwhile are newer.
            guard display.serial(of: selection) == contents.serial else { return }
            let now = try await list().0.contents
            guard now.changeCount == before || now.handle == nil && now.clearedMilliseconds == nil else {
                return report("not passed on: the pasteboard was changed meanwhile")
            }
        }
        let offer = DesktopOffer(
            contents,
            with: files,
            on: selection,
            of: display.number,
            from: origin,
            on: terms,
            isRemote: isRemote,
            brokers,
            options
        )
        guard let offer else {
            report("the contents have no types")
            // The program has the selection, so that those before them are over.
            return try await emptied(isCleared: true)
        }
        try await offer.place()
        crossed(to: .desktop(offer), "copied on the desktop: \(offer.text)")
        if options.keeps { offer.startKeeping() }
    }

    /// - Parameter origin: that of the change; nil for the display's own.
    private func emptied(isCleared: Bool?, from origin: Origin? = nil) async throws {
        let phase = phase
        switch rules.selectionEmptied(isCleared: isCleared, phase.shared) {
        case .nothing: break
        case .showBoard: try await boardChanged(isCleared: false, from: .nothing, after: nil)
        case .clearBoard(let handle):
            report("the desktop has nothing any more")
            try await clear(handle, from: origin ?? Origin(of: display.number))
            enter(.nothing)
        case .endPromises(let keeps):
            guard case .desktop(let offer) = phase else { return }
            guard keeps, await offer.leave() else {
                report("the desktop has nothing any more")
                enter(.nothing)
                return await offer.end(from: origin)
            }
            report("the desktop has nothing any more; the contents are kept")
            try await boardChanged(isCleared: false, from: .nothing, after: nil)
        }
    }

    /// Clears the board if it still has a publication.
    private func clear(_ handle: UInt64, from origin: Origin) async throws {
        try await brokers.recovering(Recovery(.change)) { connection in
            let listing = try await connection.listing(of: selection.board, settles: false)
            guard listing.contents.handle == handle else { return }
            _ = try await connection.clear(
                Clear(selection.board, ifChangeCount: listing.contents.changeCount, from: origin)
            )
        }
    }

    // MARK: From the board to the desktop

    /// - Parameter serial: that of the contents of the selection when the board has changed.
    private func boardChanged(isCleared: Bool, from phase: Phase, after serial: UInt64?) async throws {
        var (listing, board) = try await list()
        let contents = BoardContents(
            listing,
            of: selection.board,
            isRemote: isRemote,
            brokers,
            pasted: { [pastes] paste in pastes.note(paste) },
            report: { [weak self] in self?.report($0) }
        )
        (board.isCleared, board.hasNames) = (isCleared, !contents.names.isEmpty)
        let current = display.serial(of: selection)
        switch rules.boardChanged(to: board, phase.shared, selection: owner(phase, after: serial)) {
        case .nothing: break
        case .forget: enter(.nothing)
        case .placeAgain:
            guard case .desktop(let offer) = phase else { return }
            try await changed(to: offer.contents, on: offer.terms)
        case .showNothing:
            // Contents that the desktop cannot paste also end those before them.
            try await display.clear(selection, isForAll: board.isCleared || board.handle != nil)
            let text = board.handle == nil ? "pasteboard is empty" : "contents have nothing for the desktop"
            noteEnd()
            crossed(to: .nothing, "the \(text)")
        case .showBoard:
            guard let handle = board.handle else { return }
            guard try await display.show(contents.shown, on: selection, after: current) else {
                // The change of another program is handled as if it had come just after this one.
                return enter(.board(handle: handle, contents))
            }
            crossed(to: .board(handle: handle, contents), "copied on the pasteboard: \(contents.types)")
        case .tellOtherBridge:
            options.note(
                "another bridge of this display writes to pasteboard \(selection.board); end one of them"
            )
        }
    }

    /// Lists what the board has.
    private func list() async throws -> (BoardListing, BridgeRules.Board) {
        let (listing, epoch) = try await brokers.recovering { connection in
            (try await connection.listing(of: selection.board), connection.welcome.epoch ?? 0)
        }
        state.withLock { state in
            if state.epochs.last != epoch { state.epochs = (state.epochs + [epoch]).suffix(Self.mostEpochs) }
        }
        return (listing, BridgeRules.Board(listing, epoch: epoch))
    }

    /// The owner of the selection.
    private func owner(_ phase: Phase, after serial: UInt64?) -> BridgeRules.Owner {
        switch display.serial(of: selection) {
        case nil: .nobody
        case 0: .bridge
        case let current where current != serial: .newerProgram
        case let current:
            if case .desktop(let offer) = phase, offer.contents.serial == current {
                .sharedProgram
            } else {
                .otherProgram
            }
        }
    }
}

extension BridgeRules.Board {
    init(_ listing: BoardListing, epoch: UInt64) {
        (handle, origin, self.epoch) = (listing.contents.handle, listing.contents.origin ?? Origin(), epoch)
        hasPromises = listing.items.contains { $0.representations.contains { $0.provision == .promised } }
    }
}

extension Error {
    /// The reason for lines about events.
    var reason: String {
        if self is CancellationError { return "the other program has ended the load" }
        return asFailure?.text ?? "\(self)"
    }
}
