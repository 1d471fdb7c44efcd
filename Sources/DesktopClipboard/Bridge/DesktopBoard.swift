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

    /// The contents that both sides have.
    private enum Phase {
        case nothing
        /// The contents of a program of the desktop, which the board promises.
        case desktop(DesktopOffer)
        /// The contents of the board, by their publication, which the selection offers.
        case board(handle: UInt64)
    }

    private struct State {
        var phase = Phase.nothing
        var rate = ChangeRate()
        /// Whether another program, such as a clipboard manager, offers the contents of the board.
        var isOfferedAgain = false
    }

    /// The delay before a change that has failed is written again, in milliseconds.
    private static let retry = 500
    /// The time in which a change of the board and one of the selection may have crossed, in milliseconds. Contents
    /// that appear on the selection later were chosen there, for example in a history.
    private static let crossing: UInt64 = 2_000
    /// The failures of a broker or display that was lost.
    private static let losses: [ErrorCode] = [
        .brokerUnavailable, .brokerRestarted, .brokerStopped, .linkDown, .timeout,
    ]

    private let selection: Selection
    private let display: any DesktopDisplay
    private let isRemote: Bool
    private let brokers: Brokers
    private let options: DesktopBridge.Options
    private let inputs: Mailbox<Input>
    private let state = Lock(State())

    init(
        _ selection: Selection,
        of display: any DesktopDisplay,
        isRemote: Bool,
        _ brokers: Brokers,
        _ options: DesktopBridge.Options
    ) {
        (self.selection, self.display, self.isRemote) = (selection, display, isRemote)
        (self.brokers, self.options) = (brokers, options)
        inputs = Mailbox(on: brokers.loop)
    }

    func put(_ event: DesktopEvent) {
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
                case .board(let isCleared, let serial): try await boardChanged(isCleared: isCleared, after: serial)
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

    private func enter(_ phase: Phase) {
        state.withLock { state in
            (state.phase, state.isOfferedAgain) = (phase, false)
            state.rate.count(at: MonotonicClock.now())
        }
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
            guard case .desktop(let offer) = state.withLock({ $0.phase }) else { return await answer(false) }
            await answer(await offer.keep(upTo: HandOver.byteLimit))
        }
    }

    private func changed(to contents: DesktopContents) async throws {
        guard let origin = BridgeMark.origin(in: contents.names) else {
            return try await place(contents, from: Origin(of: display.number))
        }
        guard let passed = origin.passing(display.number) else {
            return report("the contents came through too many brokers and displays")
        }
        do {
            try await place(contents, from: passed)
        } catch  where error.asFailure?.code == .superseded {
            try await offeredAgain(contents, of: origin)
        }
    }

    /// Handles contents that have been at this broker, or are not newer than what it has: another bridge shows them, or
    /// a clipboard manager has stored them.
    private func offeredAgain(_ contents: DesktopContents, of origin: Origin) async throws {
        state.withLock { $0.isOfferedAgain = true }
        let (listing, epoch) = try await list()
        // Only a manager can have what this bridge has shown.
        guard origin.path.last == epoch, listing.contents.handle != nil, !origin.isSame(as: listing.contents.origin),
            listing.contents.milliseconds ?? 0 > Self.crossing
        else { return }
        try await place(contents, from: Origin(of: display.number))
    }

    /// Promises contents of the selection on the board.
    private func place(_ contents: DesktopContents, from origin: Origin) async throws {
        let offer = DesktopOffer(
            contents,
            on: selection,
            of: display.number,
            from: origin,
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
        enter(.desktop(offer))
        report("copied on the desktop: \(offer.types)")
        if options.keeps { offer.startKeeping() }
    }

    private func emptied(isCleared: Bool) async throws {
        let (phase, isOfferedAgain) = state.withLock { state in
            (exchange(&state.phase, with: .nothing), exchange(&state.isOfferedAgain, with: false))
        }
        do {
            try await emptied(isCleared: isCleared, phase, isOfferedAgain: isOfferedAgain)
        } catch {
            // This is tried again.
            state.withLock { state in
                if case .nothing = state.phase { (state.phase, state.isOfferedAgain) = (phase, isOfferedAgain) }
            }
            throw error
        }
    }

    private func emptied(isCleared: Bool, _ phase: Phase, isOfferedAgain: Bool) async throws {
        switch phase {
        case .nothing: break
        // The program that has offered them again has ended.
        case .board where isOfferedAgain && !isCleared: try await boardChanged(isCleared: false, after: nil)
        case .desktop(let offer):
            guard options.keeps, !isCleared, await offer.leave() else {
                report("the desktop has nothing any more")
                return await offer.end()
            }
            report("the desktop has nothing any more; the contents are kept")
            try await boardChanged(isCleared: false, after: nil)
        case .board(let handle):
            report("the desktop has nothing any more")
            try await brokers.recovering(Recovery(.change)) { connection in
                let listing = try await connection.listing(of: selection.board, settles: false)
                guard listing.contents.handle == handle else { return }
                _ = try await connection.clear(
                    Clear(selection.board, ifChangeCount: listing.contents.changeCount, on: display.number)
                )
            }
        }
    }

    // MARK: From the board to the desktop

    /// Shows the contents of the board, unless a program of the desktop has put others on the selection meanwhile.
    private func show(
        _ contents: DesktopContents?,
        after serial: UInt64?,
        as phase: Phase,
        _ text: String
    ) async throws {
        if let current = display.serial(of: selection), current != 0, current != serial { return }
        try await display.show(contents, on: selection)
        enter(phase)
        report(text)
    }

    /// Lists what the board has.
    private func list() async throws -> (BoardListing, epoch: UInt64) {
        try await brokers.recovering { connection in
            (try await connection.listing(of: selection.board), connection.welcome.epoch ?? 0)
        }
    }

    /// - Parameter serial: that of the contents of the selection when the board has changed.
    private func boardChanged(isCleared: Bool, after serial: UInt64?) async throws {
        let (listing, epoch) = try await list()
        let origin = listing.contents.origin ?? Origin()
        let isOfDisplay = origin.path.contains(display.number)
        guard let handle = listing.contents.handle else {
            let isShown: Bool
            switch state.withLock({ $0.phase }) {
            case .nothing: isShown = false
            // Another bridge of this display has withdrawn them, but the program still has them.
            case .desktop(let offer)
            where offer.isOver && (isOfDisplay || !isCleared) && display.serial(of: selection) == offer.contents.serial:
                state.withLock { $0.phase = .nothing }
                return try await changed(to: offer.contents)
            // The program of the desktop still has its contents, but the user has cleared them.
            case .desktop: isShown = isCleared && !isOfDisplay
            case .board: isShown = true
            }
            guard isShown else { return state.withLock { $0.phase = .nothing } }
            return try await show(nil, after: serial, as: .nothing, "the pasteboard is empty")
        }
        switch state.withLock({ $0.phase }) {
        case .desktop(let offer) where offer.handle == handle: return
        case .board(handle: handle): return
        default: break
        }
        // The display has these contents already: one of its programs promises them through another bridge.
        if isOfDisplay, display.serial(of: selection) != nil,
            listing.items.contains(where: { $0.representations.contains { $0.provision == .promised } })
        {
            guard origin.path == [display.number, epoch] else { return }
            return options.note(
                "another bridge of this display writes to pasteboard \(selection.board); end one of them"
            )
        }
        let report = { @Sendable [options, selection] (text: String) in options.report("\(selection.rawValue): \(text)")
        }
        let contents = BoardContents(listing, isRemote: isRemote, brokers, report: report)
        guard !contents.names.isEmpty else {
            // Such contents also end those before them, but not what the other machine shows on its own display.
            guard !isRemote || display.serial(of: selection) == 0 else {
                return state.withLock { $0.phase = .nothing }
            }
            return try await show(nil, after: serial, as: .nothing, "the contents have nothing for the desktop")
        }
        let text = "copied on the pasteboard: \(contents.types)"
        try await show(contents.shown, after: serial, as: .board(handle: handle), text)
    }
}

extension Error {
    /// The reason for lines about events.
    var reason: String {
        if self is CancellationError { return "the other program has ended the load" }
        return asFailure?.text ?? "\(self)"
    }
}
