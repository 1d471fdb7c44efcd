import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// An event about a window, for the transfer that waits for it.
enum X11WindowEvent: Sendable {
    /// The answer to a conversion; `property` is 0 for a refusal.
    case converted(property: UInt32)
    case propertyChanged(UInt32, isDeleted: Bool, time: UInt32)
    /// The window is gone.
    case destroyed
}

/// Another owner of a selection, or none.
struct X11OwnerChange: Sendable {
    let selection: UInt32
    let owner: UInt32
    /// The time since which it has the selection.
    let time: UInt32
    /// Whether the program has given the selection up, and has not ended.
    let isCleared: Bool
}

/// A connection to an X server.
final class X11Connection: Sendable {
    private enum Answer {
        case reply(detail: UInt8, FieldReader)
        case error(UInt8)
    }

    /// The answers of an X server to a new connection.
    private struct Greeting {
        let socket: DescriptorBox
        let setup: X11Setup
        let decoder: X11Decoder
        let fixes: (opcode: UInt8, firstEvent: UInt8)
    }

    private struct State {
        var output: [[UInt8]] = []
        /// The bytes that the X server has not taken.
        var unsent = 0
        /// The number of requests that were sent.
        var sequence: UInt16 = 0
        var answers: [UInt16: Mailbox<Answer>] = [:]
        /// - isOwner: whether only the end of the window counts.
        var windows: [(window: UInt32, box: Mailbox<X11WindowEvent>, isOwner: Bool, sequence: UInt16)] = []
        var ownerChanged: (@Sendable (X11OwnerChange) -> Void)?
        var decoder = X11Decoder()
        var resources: UInt32 = 0
        /// With BIG-REQUESTS.
        var longestRequest: Int?
        /// The windows into which programs have to convert a selection, the oldest first.
        var conversions: [UInt32] = []
        var atoms: [String: UInt32] = [:]
        var names: [UInt32: String] = [:]
    }

    /// The bytes that may wait for the X server before requests are refused.
    private static let mostUnsent = 64 << 20
    /// The number of windows that are not made for one transfer.
    private static let standingWindows: UInt32 = 8
    /// The number of windows that wait for a late answer although their transfer has ended.
    private static let mostConversions = 256
    /// The atoms that are remembered. Programs can make any number of them.
    private static let mostAtoms = 4_096

    /// The number of retries after the X server has closed a connection, and the pause before each, in milliseconds.
    private static let furtherTries = 20
    private static let pause = 50
    private static let noFixes = Failure(
        .linkDown,
        "the X server has no XFIXES extension; one that ssh forwards has it with 'ssh -Y'"
    )
    private static let closed = Failure(.linkDown, "the X server has closed the connection")

    let loop: Loop
    let setup: X11Setup
    let requests: Mailbox<X11SelectionRequest>
    private let socket: DescriptorBox
    private let state = Lock(State())
    private let wakeUp: Mailbox<Void>
    private let fixes = Lock<(opcode: UInt8, firstEvent: UInt8)>((0, 0))

    /// Connects to an X server.
    ///
    /// A server that begins anew, as many do when their last program has ended, closes the connections that come
    /// meanwhile. So this is tried for a second.
    ///
    /// - Parameter connect: connects to the X server, until a deadline.
    init(
        _ authority: X11Authority,
        on loop: Loop,
        connect: (UInt64) throws -> DescriptorBox
    ) async throws {
        self.loop = loop
        (requests, wakeUp) = (Mailbox(on: loop, limit: 8_192), Mailbox(on: loop))
        let deadline = MonotonicClock.deadline(milliseconds: DesktopTime.answer)
        let request = X11Request.connect(authority.name, authority.data)
        var answer = try await Self.greet(connect(deadline), request, on: loop, until: deadline)
        for _ in 0..<Self.furtherTries where answer == nil {
            await loop.sleep(until: MonotonicClock.deadline(milliseconds: Self.pause))
            try Task.checkCancellation()
            answer = try await Self.greet(connect(deadline), request, on: loop, until: deadline)
        }
        guard let greeting = answer else {
            guard authority.name.isEmpty else { throw Self.closed }
            throw Failure(.linkDown, "\(Self.closed.text); there is no cookie for it, see XAUTHORITY")
        }
        (socket, setup) = (greeting.socket, greeting.setup)
        state.withLock { ($0.decoder, $0.sequence) = (greeting.decoder, 1) }
        fixes.withLock { $0 = greeting.fixes }
    }

    /// Asks for a connection, and for XFIXES, which reports other owners. A server without it cannot be used.
    ///
    /// - Returns: nil if the server has closed the connection.
    private static func greet(
        _ socket: DescriptorBox,
        _ request: [UInt8],
        on loop: Loop,
        until deadline: UInt64
    ) async throws -> Greeting? {
        /// The next bytes of the X server; nil at the end.
        func more() async throws -> [UInt8]? {
            guard await loop.ready(PollInterest(socket.raw, .readable), until: deadline) else {
                throw Failure(.linkDown, "the X server does not answer")
            }
            return try received(socket.raw)
        }
        var decoder = X11Decoder()
        // If it cannot be sent, the answer is the end of the connection.
        _ = try? Socket.send(request.span, to: socket.raw)
        var setup: X11Setup?
        while setup == nil {
            guard let bytes = try await more() else { return nil }
            decoder.append(bytes)
            setup = try decoder.setup()
        }
        guard let setup else { return nil }
        _ = try? Socket.send(X11Request.extension_("XFIXES").span, to: socket.raw)
        while true {
            while let packet = try decoder.next() {
                guard case .reply(_, _, var fields) = packet else { continue }
                guard try fields.uint8() != 0 else { throw Self.noFixes }
                let fixes = (try fields.uint8(), try fields.uint8())
                return Greeting(socket: socket, setup: setup, decoder: decoder, fixes: fixes)
            }
            guard let bytes = try await more() else { return nil }
            decoder.append(bytes)
        }
    }

    /// The bytes that have arrived; nil at the end.
    private static func received(_ socket: CInt) throws -> [UInt8]? {
        var descriptors: [DescriptorBox] = []
        guard let bytes = try Socket.receive(from: socket, upTo: 1 << 16, &descriptors) else { return [] }
        return bytes.isEmpty ? nil : bytes
    }

    /// The user who runs the X server; nil if it is forwarded.
    var user: UInt32? { X11DisplayName.user(of: socket) }

    func run() async throws {
        let sending = Task(executorPreference: loop) { try? await self.sendAll() }
        defer {
            sending.cancel()
            wakeUp.close()
            requests.close()
            try? Socket.endWriting(socket.raw)
            let (answers, windows) = state.withLock { ($0.answers, $0.windows) }
            for answer in answers.values { answer.close() }
            for window in windows { window.box.close() }
        }
        wakeUp.put(())
        while true {
            while let packet = try state.withLock({ try $0.decoder.next() }) { try handle(packet) }
            await loop.ready(PollInterest(socket.raw, .readable))
            try Task.checkCancellation()
            guard let bytes = try Self.received(socket.raw) else { throw Self.closed }
            state.withLock { $0.decoder.append(bytes) }
        }
    }

    // MARK: Requests

    func send(_ request: [UInt8]) {
        _ = state.withLock { Self.append(request, &$0) }
        wakeUp.put((), replacing: { true })
    }

    private static func append(_ request: [UInt8], _ state: inout State) -> UInt16 {
        state.output.append(request)
        state.unsent += request.count
        state.sequence &+= 1
        return state.sequence
    }

    private func sendAll() async throws {
        while await wakeUp.next() != nil {
            while case let output = state.withLock({ exchange(&$0.output, with: []) }), !output.isEmpty {
                for request in output {
                    try await send(all: request)
                    state.withLock { $0.unsent -= request.count }
                }
            }
        }
    }

    /// Whether so many bytes wait for the X server that no more should be made.
    var isBehind: Bool { state.withLock { $0.unsent > Self.mostUnsent } }

    private func send(all bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if let count = try Socket.send(rest.span, to: socket.raw) {
                rest = rest.dropFirst(count)
            } else {
                await loop.ready(PollInterest(socket.raw, .writable))
                try Task.checkCancellation()
            }
        }
    }

    /// Sends a request, and returns what its reply has after the length.
    func reply(to request: [UInt8]) async throws -> (detail: UInt8, fields: FieldReader) {
        let box = Mailbox<Answer>(on: loop)
        let number = state.withLock { state in
            let number = Self.append(request, &state)
            state.answers[number] = box
            return number
        }
        wakeUp.put((), replacing: { true })
        defer { state.withLock { state in if state.answers[number] === box { state.answers[number] = nil } } }
        let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
        switch await box.next(until: end) {
        case .reply(let detail, let fields): return (detail, fields)
        case .error(let code): throw Failure(.superseded, "the X server has refused a request (error \(code))")
        case nil:
            try Task.checkCancellation()
            throw Failure(.linkDown, "the X server does not answer")
        }
    }

    private func handle(_ packet: X11Packet) throws {
        switch packet {
        case .reply(let sequence, let detail, let fields):
            state.withLock { $0.answers[sequence] }?.put(.reply(detail: detail, fields))
        case .error(let sequence, let code, let resource):
            if let answer = state.withLock({ $0.answers[sequence] }) { answer.put(.error(code)) }
            // A window whose program has ended, unless the request was for an earlier window of this number.
            if code == 3 { tell(resource, .destroyed, after: sequence) }
        case .event(let code, let detail, var fields): try handle(event: code, detail, &fields)
        }
    }

    private func handle(event code: UInt8, _ detail: UInt8, _ fields: inout FieldReader) throws {
        let words = try fields.words()
        guard words.count >= 7 else { return }
        switch code {
        case 17: tell(words[1], .destroyed)
        case 28:
            let state = UInt8(truncatingIfNeeded: words[3])
            tell(words[0], .propertyChanged(words[1], isDeleted: state == 1, time: words[2]))
        case 30:
            let request = X11SelectionRequest(
                time: words[0],
                requestor: words[2],
                selection: words[3],
                target: words[4],
                property: words[5]
            )
            requests.put(request)
        case 31:
            let (isAsked, isWatched) = state.withLock { state in
                let count = state.conversions.count
                state.conversions.removeAll { $0 == words[1] }
                return (state.conversions.count < count, state.windows.contains { $0.window == words[1] })
            }
            guard isAsked else { return }
            if isWatched { tell(words[1], .converted(property: words[4])) } else { destroy(words[1]) }
        case fixes.withLock(\.firstEvent) where code > 0:
            // The window, the owner, the selection, the time of the event, and that of the selection.
            let isCleared = detail == 0 && words[1] == 0
            let change = X11OwnerChange(selection: words[2], owner: words[1], time: words[4], isCleared: isCleared)
            state.withLock(\.ownerChanged)?(change)
        default: break
        }
    }

    // MARK: Windows

    /// Passes an event of a window to its transfers.
    ///
    /// - Parameter sequence: the number of the request that has failed. Transfers that began after this request have
    ///   another window of the same number, and do not get the event.
    private func tell(_ window: UInt32, _ event: X11WindowEvent, after sequence: UInt16? = nil) {
        let isEnd = if case .destroyed = event { true } else { false }
        let boxes = state.withLock { state in
            state.windows.filter { entry in
                entry.window == window && (isEnd || !entry.isOwner)
                    && sequence.map { Int16(bitPattern: $0 &- entry.sequence) > 0 } ?? true
            }.map(\.box)
        }
        for box in boxes { box.put(event) }
    }

    /// Lets a transfer have the events of a window, until `forget`.
    ///
    /// - Parameter isOwner: whether only the end of the window counts.
    func watch(_ window: UInt32, _ box: Mailbox<X11WindowEvent>, isOwner: Bool = false) {
        state.withLock { $0.windows.append((window, box, isOwner, $0.sequence)) }
    }

    func forget(_ window: UInt32, _ box: Mailbox<X11WindowEvent>) {
        let isLast = state.withLock { state in
            state.windows.removeAll { $0.window == window && $0.box === box }
            return !state.windows.contains { $0.window == window }
        }
        // Windows of other programs.
        if isLast, !isOwn(window) { send(X11Request.watch(window, false)) }
    }

    /// The program that has made a window.
    func client(of window: UInt32) -> UInt32 { window & ~setup.resourceMask }

    /// Makes the window with a number below `standingWindows`, which no other window has.
    func standingWindow(_ number: UInt32) -> UInt32 {
        let window = setup.resource(number)
        send(X11Request.createWindow(window, in: setup.root))
        return window
    }

    /// Makes a window.
    func newWindow() -> UInt32 {
        let window = state.withLock { state in
            var window: UInt32 = 0
            // The numbers begin anew.
            repeat {
                state.resources &+= 1
                window = setup.resource(state.resources)
            } while (0..<Self.standingWindows).contains { setup.resource($0) == window }
                || state.conversions.contains(window) || state.windows.contains { $0.window == window }
            return window
        }
        send(X11Request.createWindow(window, in: setup.root))
        return window
    }

    /// Makes a window for one transfer, and passes it with its events.
    func withWindow<Value>(
        _ body: (UInt32, Mailbox<X11WindowEvent>) async throws -> Value
    ) async throws -> Value {
        let box = Mailbox<X11WindowEvent>(on: loop)
        let window = newWindow()
        watch(window, box)
        defer {
            forget(window, box)
            // A program that answers late would fail without the window, and perhaps end.
            if !state.withLock({ $0.conversions.contains(window) }) { destroy(window) }
        }
        return try await body(window, box)
    }

    func isOwn(_ window: UInt32) -> Bool { client(of: window) == setup.resourceBase }

    /// Destroys a window of this connection.
    func destroy(_ window: UInt32) {
        if isOwn(window) { send(X11Request.destroyWindow(window)) }
    }

    /// Asks the owner of a selection to convert it into a property of a window.
    func convert(_ selection: UInt32, to target: UInt32, into property: UInt32, of window: UInt32, at time: UInt32) {
        let oldest = state.withLock { state in
            state.conversions.append(window)
            return state.conversions.count > Self.mostConversions ? state.conversions.removeFirst() : nil
        }
        if let oldest { destroy(oldest) }
        send(X11Request.convert(selection, to: target, into: property, of: window, at: time))
    }

    /// The present time of the server.
    func time() async throws -> UInt32 {
        let property = try await atom("_PASTEBOARD")
        return try await withWindow { window, box in
            send(
                X11Request.changeProperty(property, of: window, type: property, format: 8, [], appends: true)
            )
            let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
            while let event = await box.next(until: end) {
                if case .propertyChanged(_, _, let time) = event { return time }
            }
            throw Failure(.linkDown, "the X server does not answer")
        }
    }

    // MARK: Atoms

    func atom(_ name: String) async throws -> UInt32 {
        if let known = state.withLock({ $0.atoms[name] }) { return known }
        var (_, fields) = try await reply(to: X11Request.internAtom(name))
        let atom = try fields.uint32()
        state.withLock { state in
            if state.atoms.count >= Self.mostAtoms { (state.atoms, state.names) = ([:], [:]) }
            (state.atoms[name], state.names[atom]) = (atom, name)
        }
        return atom
    }

    /// The name of an atom; nil if there is no such atom.
    func name(of atom: UInt32) async throws -> String? {
        if let known = state.withLock({ $0.names[atom] }) { return known }
        guard var (_, fields) = try? await reply(to: X11Request.nameOfAtom(atom)) else {
            try Task.checkCancellation()
            return nil
        }
        let count = Int(try fields.uint16())
        try fields.skip(22)
        let name = String(decoding: try fields.take(count), as: UTF8.self)
        state.withLock { state in
            if state.names.count >= Self.mostAtoms { (state.atoms, state.names) = ([:], [:]) }
            state.names[atom] = name
        }
        return name
    }

    // MARK: Extensions

    /// The longest request, in bytes.
    var longestRequest: Int { state.withLock { $0.longestRequest ?? setup.longestRequest } }

    /// Allows longer requests if the server does.
    func enableBigRequests() async throws {
        var (_, fields) = try await reply(to: X11Request.extension_("BIG-REQUESTS"))
        guard try fields.uint8() != 0 else { return }
        var (_, answer) = try await reply(to: X11Request.enableBigRequests(try fields.uint8()))
        let words = try answer.uint32()
        state.withLock { $0.longestRequest = Int(words) * 4 }
    }

    /// Watches the owners of selections.
    ///
    /// - Parameter changed: called for each event of theirs, before any later reply is returned.
    func watchOwners(
        of selections: [UInt32],
        by window: UInt32,
        changed: @escaping @Sendable (X11OwnerChange) -> Void
    ) async throws {
        state.withLock { $0.ownerChanged = changed }
        let opcode = fixes.withLock(\.opcode)
        _ = try await reply(to: X11Request.fixesVersion(opcode))
        for selection in selections { send(X11Request.watch(selection, by: window, opcode)) }
    }
}
