import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The selections of an X server, by the conventions of ICCCM.
package final class X11Clipboard: DesktopDisplay {
    /// Another program that has a selection, since a time of the server.
    private struct Owner: Equatable {
        let window: UInt32
        let time: UInt32

        var serial: UInt64 { UInt64(window) << 32 | UInt64(time) }
    }

    /// A selection that the bridge has taken over.
    private struct Shown {
        let contents: DesktopContents
        let time: UInt32
        /// The owner of the selection.
        let window: UInt32
    }

    private struct State {
        var selections: [UInt32: Selection] = [:]
        var shown: [Selection: Shown] = [:]
        /// The owner of each selection, if it is another program.
        var owners: [Selection: Owner] = [:]
        /// The times of the last changes of owners (see `MonotonicClock`).
        var changed: [Selection: UInt64] = [:]
        /// The selections of which there was an event.
        var known: Set<Selection> = []
        /// The selections that the bridge takes over or clears: the events before its own are older.
        var changes: Set<Selection> = []
        /// The number of lists of types that are under way, and whether the owner has changed meanwhile.
        var lists: [Selection: (count: Int, isOld: Bool)] = [:]
        var lastList: [Selection: Task<Void, Never>] = [:]
        /// The owners that have not listed their types in time, and may still do so.
        var late: [Owner] = []
        /// The deliveries under way, by the window and the property of the program that pastes.
        var deliveries: [[UInt32]: X11Delivery] = [:]
        /// The last transfer of the owner of each selection, closed at its end.
        var turns: [Selection: Mailbox<Void>] = [:]
        /// Whether a program waits until its contents are kept.
        var isSaving = false
        var window: UInt32 = 0
        var manager: UInt32 = 0
        var number: UInt64 = 0
    }

    /// The targets that are no types of contents.
    private static let requests: Set<String> = [
        "TARGETS", "MULTIPLE", "TIMESTAMP", "INCR", "SAVE_TARGETS", "DELETE", "INSERT_PROPERTY", "INSERT_SELECTION",
    ]
    /// The targets of a program that are read, and the lists of types that are read at once.
    private static let mostTargets = 2_048
    private static let mostLists = 8
    /// A request that is older than the contents by at most this is for others, in milliseconds. A larger difference
    /// means that the times of the server, which have 32 bits, have begun anew.
    private static let longestAge: UInt32 = 3_600_000
    /// The time for which a transfer waits for the one before it of the same program, in milliseconds.
    private static let longestTurn = 1_000
    private static let mostPairs = 64

    package let events: Mailbox<DesktopEvent>
    private let connection: X11Connection
    private let savesContents: Bool
    private let transfers: TaskList
    private let state = Lock(State())
    private var loop: Loop { connection.loop }

    /// Connects to a display.
    ///
    /// - Parameters:
    ///   - user: the user of the server at the previous connection; nil at the first connection.
    ///   - savesContents: whether programs that are about to end may have their contents kept.
    init(connecting display: X11DisplayName, of user: UInt32?, savesContents: Bool, on loop: Loop) async throws {
        self.savesContents = savesContents
        (events, transfers) = (Mailbox(on: loop), TaskList(on: loop))
        let authority = X11Authority.find(display: display.number)
        connection = try await X11Connection(authority, on: loop) { try display.connect(until: $0, to: user) }
    }

    package func run() async throws {
        defer {
            events.close()
            transfers.cancel()
            state.withLock { $0.shown = [:] }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.connection.run() }
            group.addTask { try await self.serve() }
            try await group.next()
        }
    }

    /// Handles the events until the connection ends.
    private func serve() async throws {
        try await connection.enableBigRequests()
        let window = connection.standingWindow(0)
        let selections = [
            try await connection.atom("CLIPBOARD"): Selection.clipboard, try await connection.atom("PRIMARY"): .primary,
        ]
        let manager = try await connection.atom("CLIPBOARD_MANAGER")
        let number = try await connection.displayNumber()
        state.withLock { state in
            (state.window, state.selections, state.manager, state.number) = (window, selections, manager, number)
        }
        try await connection.watchOwners(of: Array(selections.keys), by: window) { [weak self] change in
            guard let self, let selection = selections[change.selection] else { return }
            state.withLock { _ = $0.known.insert(selection) }
            changed(selection, to: Owner(window: change.owner, time: change.time), isCleared: change.isCleared)
        }
        for (atom, selection) in selections.sorted(by: { $0.key < $1.key }) {
            let owner = try await owner(of: atom)
            guard !state.withLock({ $0.known.contains(selection) }) else { continue }
            changed(selection, to: Owner(window: owner, time: 0), isCleared: false)
        }
        if savesContents, try await owner(of: manager) == 0 {
            connection.send(X11Request.own(manager, window, at: try await connection.time()))
        }
        while let request = await connection.requests.next() {
            guard !connection.isBehind else {
                refuse(request)
                continue
            }
            let isStarted = transfers.start(for: connection.client(of: request.requestor)) {
                try await self.answer(request)
            }
            if !isStarted { refuse(request) }
        }
        throw Failure(.linkDown, "the connection to the X server has ended")
    }

    package var user: UInt32? { connection.user }

    package var number: UInt64 { state.withLock { $0.number } }

    private func owner(of selection: UInt32) async throws -> UInt32 {
        var (_, fields) = try await connection.reply(to: X11Request.owner(of: selection))
        return try fields.uint32()
    }

    // MARK: Contents of other programs

    private func changed(_ selection: Selection, to owner: Owner, isCleared: Bool) {
        enum Step { case none, empty, list }
        let step = state.withLock { state -> Step in
            state.changed[selection] = MonotonicClock.now()
            let isOwn = connection.isOwn(owner.window) || owner.window == 0 && state.shown[selection] == nil
            if state.changes.contains(selection) {
                // The events before that of the bridge's own change are older than it.
                if isOwn { state.changes.remove(selection) }
                state.owners[selection] = isOwn || owner.window == 0 ? nil : owner
                return .none
            }
            guard !connection.isOwn(owner.window) else { return .none }
            if let old = state.shown.removeValue(forKey: selection) { connection.destroy(old.window) }
            state.owners[selection] = owner.window == 0 ? nil : owner
            return owner.window == 0 ? .empty : .list
        }
        switch step {
        case .none: break
        case .empty: events.put(.emptied(selection, isCleared: isCleared)) { $0.selection == selection }
        case .list: startList(selection)
        }
    }

    /// Finds the names that the owner of a selection lists. It is another program, which may be stopped.
    private func startList(_ selection: Selection) {
        let isStarted = state.withLock { state in
            let lists = state.lists[selection] ?? (0, false)
            guard lists.count < Self.mostLists else {
                state.lists[selection]?.isOld = true
                return false
            }
            state.lists[selection] = (lists.count + 1, lists.isOld)
            return true
        }
        guard isStarted else { return }
        let list = Task(executorPreference: loop) {
            let owner = self.state.withLock { $0.owners[selection] }
            let isLate: Bool
            if let owner { isLate = await self.list(selection, of: owner) } else { isLate = false }
            let isOld = self.state.withLock { state in
                let lists = state.lists[selection] ?? (1, false)
                state.lists[selection] = (lists.count - 1, false)
                return lists.isOld
            }
            if isOld {
                self.startList(selection)
            } else if isLate, let owner {
                self.listLate(selection, of: owner)
            }
        }
        state.withLock { $0.lastList[selection] = list }
    }

    private func listLate(_ selection: Selection, of owner: Owner) {
        let isStarted = state.withLock { state in
            guard state.late.count < Self.mostLists, !state.late.contains(owner) else { return false }
            state.late.append(owner)
            return true
        }
        guard isStarted else { return }
        Task(executorPreference: loop) {
            _ = await self.list(selection, of: owner, within: DesktopTime.stall)
            self.state.withLock { $0.late.removeAll { $0 == owner } }
        }
    }

    /// Reports the contents of an owner, by the names that it lists.
    ///
    /// - Returns: whether it has not answered in this time. It may be busy, but the contents before it are over.
    private func list(
        _ selection: Selection,
        of owner: Owner,
        within milliseconds: Int = DesktopTime.list
    ) async -> Bool {
        var (names, isLate) = ([String](), false)
        do {
            names = try await self.names(of: selection, owner, within: milliseconds)
        } catch {
            isLate = error.asFailure?.code == .timeout
        }
        guard state.withLock({ $0.owners[selection] == owner }) else { return false }
        let time = state.withLock { $0.changed[selection] }
        let contents = DesktopContents(names, serial: owner.serial, at: time) { [weak self] name, _, sink in
            guard let self else { throw Failure(.sourceGone, "the display has ended") }
            try await read(name, of: selection, owner, sink)
        }
        events.put(.changed(selection, contents)) { $0.selection == selection }
        return isLate
    }

    package func serial(of selection: Selection) -> UInt64? {
        state.withLock { $0.shown[selection] == nil ? $0.owners[selection]?.serial : 0 }
    }

    /// The names that the owner of a selection lists. One that lists none has text, as the oldest programs do.
    private func names(of selection: Selection, _ owner: Owner, within milliseconds: Int) async throws -> [String] {
        let list = Lock([UInt32]())
        // A program must not send parts of it without end.
        let end = MonotonicClock.deadline(milliseconds: milliseconds)
        do {
            try await read("TARGETS", of: selection, owner, within: milliseconds) { bytes in
                var fields = FieldReader(bytes[...])
                let words = try fields.words()
                list.withLock { if $0.count < Self.mostTargets { $0 += words } }
                if MonotonicClock.isOver(end) { throw Failure(.tooLarge, "the list of types does not end") }
            }
        } catch let failure as Failure where failure.code == .typeUnavailable {
            return ["STRING"]
        }
        var names = NameList()
        for atom in list.withLock({ $0.prefix(Self.mostTargets) }) {
            if let name = try await connection.name(of: atom), !Self.requests.contains(name) { names.append(name) }
        }
        return names.names
    }

    /// Passes the bytes of a name of another program to a sink.
    private func read(
        _ name: String,
        of selection: Selection,
        _ owner: Owner,
        within milliseconds: Int = DesktopTime.stall,
        _ sink: @escaping ByteSink
    ) async throws {
        try check(owner, of: selection)
        // Not cancelled with this task: a program that has begun waits for each part to be taken, some for ever, and
        // then answers nobody else.
        let optional = OptionalSink(sink)
        let turn = Mailbox<Void>(on: loop)
        let before = state.withLock { exchange(&$0.turns[selection], with: turn) }
        let task = Task(executorPreference: loop) {
            defer { turn.close() }
            // Some programs forget a request that comes while they send parts to another one. A transfer that nobody
            // reads must not stop this one.
            _ = await before?.next(until: MonotonicClock.deadline(milliseconds: Self.longestTurn))
            let check = { try self.check(owner, of: selection) }
            try check()
            let conversion = X11Conversion(
                selection: selection.atomName,
                owner: owner.window,
                time: owner.time,
                connection: self.connection,
                check: check
            )
            try await conversion.run(name, within: milliseconds) { try await optional.take($0) }
        }
        try await task.value
        try optional.check()
    }

    /// Throws if a selection has another owner now, which may be the one that has answered.
    private func check(_ owner: Owner, of selection: Selection) throws {
        guard state.withLock({ $0.owners[selection] == owner }) else {
            throw Failure(.superseded, "the program has put other contents on the selection, or has ended")
        }
    }

    // MARK: Contents of the bridge

    package func show(
        _ contents: DesktopContents,
        on selection: Selection,
        after serial: UInt64?
    ) async throws -> Bool {
        let atom = try await connection.atom(selection.atomName)
        // The events before this time have been handled, and the server ignores the request after a later change.
        let time = try await connection.time()
        guard self.serial(of: selection) == serial else { return false }
        // A selection has two windows in turn: the one before is its owner until this one is.
        let number: UInt32 = selection == .clipboard ? 1 : 3
        let old = state.withLock { $0.shown[selection]?.window }
        let window = connection.standingWindow(old == connection.setup.resource(number) ? number + 1 : number)
        state.withLock { state in
            state.shown[selection] = Shown(contents: contents, time: time, window: window)
            state.changes.insert(selection)
        }
        connection.send(X11Request.own(atom, window, at: time))
        if let old { connection.destroy(old) }
        try await finish(selection, atom, owner: window)
        return true
    }

    package func clear(_ selection: Selection, isForAll: Bool) async throws {
        let atom = try await connection.atom(selection.atomName)
        // The selection is cleared only if its owner is still the one that is known now.
        let owner = state.withLock { $0.owners[selection] }
        var ownerTime = owner?.time ?? 0
        if let owner, ownerTime == 0 {
            // It had the selection before this connection, if it still has it.
            ownerTime = try await connection.time()
            guard try await self.owner(of: atom) == owner.window else { return }
        }
        let (shown, time) = state.withLock { state in
            let shown = state.shown.removeValue(forKey: selection)
            state.changes.insert(selection)
            return (shown, shown?.time ?? (state.owners[selection] == owner ? ownerTime : 0))
        }
        if isForAll, time != 0 { connection.send(X11Request.own(atom, 0, at: time)) }
        // Other programs see that as the end of this program, and not as a clear.
        if let shown { connection.destroy(shown.window) }
        try await finish(selection, atom, owner: 0)
    }

    /// Waits until a change of the bridge's own is over, and handles what others have changed meanwhile.
    private func finish(_ selection: Selection, _ atom: UInt32, owner window: UInt32) async throws {
        // All events before this answer have been handled.
        let owner = try await owner(of: atom)
        // Events after the answer may have been handled, too.
        let (isTaken, isEmpty) = state.withLock { state in
            let isPending = state.changes.remove(selection) != nil
            guard owner != window else {
                if isPending { state.owners[selection] = nil }
                return (false, false)
            }
            guard isPending else { return (false, false) }
            if let old = state.shown.removeValue(forKey: selection) { connection.destroy(old.window) }
            if state.owners[selection] == nil, owner != 0 { state.owners[selection] = Owner(window: owner, time: 0) }
            return (owner != 0, owner == 0)
        }
        if isTaken { startList(selection) }
        if isEmpty { events.put(.emptied(selection, isCleared: false)) { $0.selection == selection } }
    }

    private func refuse(_ request: X11SelectionRequest) { connection.send(X11Request.notify(request, property: 0)) }

    /// Answers the request of a program.
    private func answer(_ request: X11SelectionRequest) async throws {
        let request = request.withProperty
        do {
            let isManager = state.withLock { $0.manager == request.selection }
            let name = try await connection.name(of: request.target) ?? ""
            switch name {
            case "SAVE_TARGETS" where isManager: return await save(request)
            case "MULTIPLE": try await answerPairs(of: request)
            default:
                try await answer(request, name) { [connection] in
                    connection.send(X11Request.notify(request, property: request.property))
                }
            }
        } catch {
            refuse(request)
            throw error
        }
    }

    private func save(_ request: X11SelectionRequest) async {
        guard !state.withLock({ exchange(&$0.isSaving, with: true) }) else { return refuse(request) }
        let null = try? await connection.atom("NULL")
        // The program may have copied just now.
        await state.withLock { $0.lastList[.clipboard] }?.value
        events.put(
            .saving(.clipboard) { [weak self, connection] isKept in
                self?.state.withLock { $0.isSaving = false }
                let property = isKept ? request.property : 0
                if isKept, let null {
                    connection.send(
                        X11Request.changeProperty(property, of: request.requestor, type: null, format: 32, [])
                    )
                }
                connection.send(X11Request.notify(request, property: property))
            }
        )
    }

    /// Answers several requests at once, which the property lists by target and property.
    private func answerPairs(of request: X11SelectionRequest) async throws {
        let list = try await connection.property(request.property, of: request.requestor)
        var words = list.words
        guard words.count.isMultiple(of: 2), words.count <= 2 * Self.mostPairs, list.rest == 0 else {
            return refuse(request)
        }
        // Whether each has an answer, or the first part of one.
        let begun = Mailbox<(index: Int, isAnswered: Bool)>(on: loop)
        for index in stride(from: 0, to: words.count, by: 2) {
            let part = X11SelectionRequest(
                time: request.time,
                requestor: request.requestor,
                selection: request.selection,
                target: words[index],
                property: words[index + 1]
            )
            let isStarted = transfers.start(for: connection.client(of: request.requestor)) {
                do {
                    let name = try await self.connection.name(of: part.target) ?? ""
                    guard name != "MULTIPLE", part.property != 0 else { return begun.put((index, false)) }
                    try await self.answer(part, name) { begun.put((index, true)) }
                } catch {
                    begun.put((index, false))
                }
            }
            if !isStarted { begun.put((index, false)) }
        }
        // One that has begun and fails later tells that, too.
        var answered: Set<Int> = []
        while answered.count < words.count / 2 {
            guard let (index, isAnswered) = await begun.next() else { throw CancellationError() }
            if answered.insert(index).inserted, !isAnswered { words[index + 1] = 0 }
        }
        var writer = FieldWriter()
        for word in words { writer.append(word) }
        connection.send(
            X11Request.changeProperty(
                request.property,
                of: request.requestor,
                type: list.type,
                format: 32,
                writer.bytes[...]
            )
        )
        connection.send(X11Request.notify(request, property: request.property))
    }

    /// Puts what a request asks for into its property.
    ///
    /// - Parameter begun: called when they are there, or the announcement of bytes that go in parts.
    private func answer(
        _ request: X11SelectionRequest,
        _ name: String,
        begun: @escaping @Sendable () -> Void
    ) async throws {
        let shown = state.withLock { state in state.selections[request.selection].flatMap { state.shown[$0] } }
        // A request for contents that others had before.
        guard let shown, request.time == 0 || !(1..<Self.longestAge ~= shown.time &- request.time) else {
            throw Failure(.superseded, "the selection has other contents")
        }
        // It names no encoding.
        let type = name == "TEXT" ? try await connection.atom("UTF8_STRING") : request.target
        let delivery = X11Delivery(request, type: type, over: connection, begun: begun)
        let place = [request.requestor, request.property]
        state.withLock { exchange(&$0.deliveries[place], with: delivery) }?.giveUp()
        defer { state.withLock { if $0.deliveries[place] === delivery { $0.deliveries[place] = nil } } }
        switch name {
        case "TARGETS":
            var writer = FieldWriter()
            for name in ["TARGETS", "MULTIPLE", "TIMESTAMP"] + shown.contents.names {
                writer.append(try await connection.atom(name))
            }
            delivery.put(writer.bytes[...], type: try await connection.atom("ATOM"), format: 32)
        case "TIMESTAMP":
            var writer = FieldWriter()
            writer.append(shown.time)
            delivery.put(writer.bytes[...], type: try await connection.atom("INTEGER"), format: 32)
        default:
            guard shown.contents.names.contains(name) else { throw Failure(.typeUnavailable, "there is no \(name)") }
            try await delivery.run(incremental: try await connection.atom("INCR")) { sink in
                try await shown.contents.transfer(name, expect: { delivery.expect($0) }, sink)
            }
        }
    }
}

extension Selection {
    fileprivate var atomName: String { self == .clipboard ? "CLIPBOARD" : "PRIMARY" }
}
