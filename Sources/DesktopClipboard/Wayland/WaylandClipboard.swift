package import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The selections of a Wayland session, by a data control protocol: `ext-data-control-v1`, else its older form
/// `wlr-data-control-unstable-v1`, which has the same messages.
package final class WaylandClipboard: DesktopDisplay {
    private enum Object {
        static let display: UInt32 = 1
        static let registry: UInt32 = 2
        static let firstFree: UInt32 = 3
        /// The first id that the compositor gives to its own objects.
        static let firstOfCompositor: UInt32 = 0xFF00_0000
    }

    /// The offer of a program, while its names arrive or while it is a selection.
    private struct Offer {
        let id: UInt32
        let serial: UInt64
        var list = NameList()
        var selections: Set<Selection> = []
    }

    private struct Source {
        let id: UInt32
        let selection: Selection
        let contents: DesktopContents
    }

    private struct State {
        var output: [(bytes: [UInt8], descriptor: DescriptorBox?)] = []
        var nextID = Object.firstFree
        var freeIDs: [UInt32] = []
        var globals: [String: (name: UInt32, version: UInt32)] = [:]
        var device: UInt32 = 0
        var manager: UInt32 = 0
        var hasPrimary = false
        /// The round trips that wait for the compositor.
        var callbacks: [UInt32: Mailbox<Void>] = [:]
        /// The round trip after the bridge's last change of a selection. The events before its end are older, or about
        /// this change.
        var changes: [Selection: UInt32] = [:]
        /// The contents of each selection, as `serial(of:)` returns them.
        var serials: [Selection: UInt64] = [:]
        var lastSerial: UInt64 = 0
        /// Sources that were destroyed, of which requests may be on their way.
        var destroyedSources: Set<UInt32> = []
        var offers: [Offer] = []
        var sources: [Source] = []
        /// The descriptors that have arrived, for messages that follow.
        var descriptors: [DescriptorBox] = []

        mutating func newID() -> UInt32 {
            if let id = freeIDs.popLast() { return id }
            nextID += 1
            return nextID - 1
        }

        mutating func send(_ message: [UInt8], passing descriptor: DescriptorBox? = nil) {
            output.append((message, descriptor))
        }
    }

    /// The offers that are no selection, which a compositor may send without end, and the sources that it has not
    /// cancelled.
    private static let mostOffers = 16
    private static let mostSources = 16
    private static let mostDescriptors = 64

    package let events: Mailbox<DesktopEvent>
    package let number: UInt64
    private let loop: Loop
    private let socket: OwnedDescriptor
    private let state = Lock(State())
    private let wakeUp: Mailbox<Void>
    private let transfers: TaskList

    /// Connects, and finds what the compositor has.
    ///
    /// - Throws: `link-down` if it does not answer in time, or lacks data control.
    package convenience init(connecting path: String, on loop: Loop) async throws {
        let deadline = MonotonicClock.deadline(milliseconds: DesktopTime.answer)
        let socket = try Socket.connect(path: path, deadline: deadline)
        // In a container, the path may be another one.
        let file = try System.status(at: path)
        let number = KeptDirectory.number(of: "\(try System.bootID()) \(file?.device ?? 0) \(file?.inode ?? 0)")
        try await self.init(over: socket, number: number, until: deadline, on: loop)
    }

    /// - Parameters:
    ///   - socket: a non-blocking socket whose other end is a compositor.
    ///   - deadline: the time by which it has to answer (see `MonotonicClock`).
    init(
        over socket: consuming OwnedDescriptor,
        number: UInt64 = 1,
        until deadline: UInt64 = .max,
        on loop: Loop
    ) async throws {
        (self.number, self.loop) = (number, loop)
        self.socket = socket
        (events, wakeUp, transfers) = (Mailbox(on: loop), Mailbox(on: loop), TaskList(on: loop))
        try await begin(until: deadline)
    }

    private func begin(until deadline: UInt64) async throws {
        let callback = state.withLock { state in
            let callback = state.newID()
            state.send(WaylandMessage.request(Object.display, 1) { $0.append(Object.registry) })
            state.send(WaylandMessage.request(Object.display, 0) { $0.append(callback) })
            return callback
        }
        try flush()
        var decoder = WaylandDecoder()
        var isComplete = false
        while !isComplete {
            guard await loop.ready(PollInterest(socket.raw, .readable), until: deadline) else {
                throw Failure(.linkDown, "the compositor does not answer")
            }
            try receive(&decoder) { message in
                if message.object == callback { isComplete = true } else { try handle(message) }
            }
        }
        let globals = state.withLock { $0.globals }
        let managers = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]
        guard let manager = managers.first(where: { globals[$0] != nil }), let global = globals[manager] else {
            throw Failure(
                .linkDown,
                "the compositor lets no program watch the clipboard: it has neither ext-data-control-v1 nor "
                    + "wlr-data-control-unstable-v1"
            )
        }
        guard let seat = globals["wl_seat"] else { throw Failure(.linkDown, "the compositor has no seat") }
        let version = min(global.version, manager.hasPrefix("ext") ? 1 : 2)
        state.withLock { state in
            state.hasPrimary = manager.hasPrefix("ext") || version > 1
            func bind(_ global: (name: UInt32, version: UInt32), _ interface: String, _ version: UInt32) -> UInt32 {
                let id = state.newID()
                state.send(
                    WaylandMessage.request(Object.registry, 0) {
                        $0.append(global.name)
                        $0.append(string: interface)
                        $0.append(version)
                        $0.append(id)
                    }
                )
                return id
            }
            state.manager = bind(global, manager, version)
            let seat = bind(seat, "wl_seat", 1)
            let device = state.newID()
            state.device = device
            state.send(
                WaylandMessage.request(state.manager, 1) {
                    $0.append(device)
                    $0.append(seat)
                }
            )
        }
    }

    package func run() async throws {
        defer {
            events.close()
            wakeUp.close()
            transfers.cancel()
            state.withLock { ($0.sources, $0.offers) = ([], []) }
            try? Socket.endWriting(socket.raw)
        }
        let sending = Task(executorPreference: loop) { try? await self.sendAll() }
        defer { sending.cancel() }
        var decoder = WaylandDecoder()
        wakeUp.put(())
        while true {
            await loop.ready(PollInterest(socket.raw, .readable))
            try Task.checkCancellation()
            try receive(&decoder, handle)
        }
    }

    // MARK: Sending

    private func sendAll() async throws {
        while await wakeUp.next() != nil {
            while try !flush() {
                await loop.ready(PollInterest(socket.raw, .writable))
                try Task.checkCancellation()
            }
        }
    }

    private func send(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        wakeUp.put((), replacing: { true })
    }

    /// Sends what waits.
    ///
    /// - Returns: false if the socket is full.
    @discardableResult
    private func flush() throws -> Bool {
        try state.withLock { state in
            while let (bytes, descriptor) = state.output.first {
                let descriptors = descriptor.map { [$0.raw] } ?? []
                guard let sent = try Socket.send(bytes.span, descriptors, to: socket.raw) else { return false }
                if sent < bytes.count {
                    state.output[0] = (Array(bytes.dropFirst(sent)), nil)
                } else {
                    state.output.removeFirst()
                }
            }
            return true
        }
    }

    // MARK: Receiving

    private func receive(_ decoder: inout WaylandDecoder, _ body: (WaylandMessage) throws -> Void) throws {
        var descriptors: [DescriptorBox] = []
        guard let bytes = try Socket.receive(from: socket.raw, upTo: 1 << 16, &descriptors) else { return }
        let tooMany = state.withLock { state in
            state.descriptors += descriptors
            return state.descriptors.count > Self.mostDescriptors
        }
        guard !tooMany else { throw Failure(.protocolViolation, "the compositor passes descriptors without messages") }
        guard !bytes.isEmpty else { throw Failure(.linkDown, "the compositor has closed the connection") }
        decoder.append(bytes)
        while let message = try decoder.next() { try body(message) }
    }

    private func handle(_ message: WaylandMessage) throws {
        var fields = message.fields
        let (device, isOffer, isSource) = state.withLock { state in
            (
                state.device, state.offers.contains { $0.id == message.object },
                state.sources.contains { $0.id == message.object }
            )
        }
        switch (message.object, message.opcode) {
        case (Object.display, 0):
            try fields.skip(8)
            throw Failure(.linkDown, "the compositor has ended the connection: \(try fields.string())")
        case (Object.display, 1):
            let id = try fields.uint32()
            state.withLock { state in
                state.destroyedSources.remove(id)
                if Object.firstFree..<state.nextID ~= id, state.freeIDs.count < 1_024 { state.freeIDs.append(id) }
            }
        case (Object.registry, 0):
            let (name, interface, version) = (try fields.uint32(), try fields.string(), try fields.uint32())
            state.withLock { state in
                if state.globals.count < 1_024, state.globals[interface] == nil {
                    state.globals[interface] = (name, version)
                }
            }
        case (let callback, 0) where state.withLock { $0.callbacks[callback] != nil }:
            state.withLock { $0.callbacks.removeValue(forKey: callback) }?.put(())
        case (device, 0) where device != 0: try began(offer: fields.uint32())
        case (device, 1) where device != 0: try changed(.clipboard, to: fields.uint32())
        case (device, 2) where device != 0:
            throw Failure(.linkDown, "the compositor has ended the access to the clipboard")
        case (device, 3) where device != 0: try changed(.primary, to: fields.uint32())
        case (let offer, 0) where isOffer:
            let name = try fields.string()
            state.withLock { state in
                guard let index = state.offers.firstIndex(where: { $0.id == offer }) else { return }
                state.offers[index].list.append(name)
            }
        case (let source, 0) where isSource: try answer(source, fields.string())
        case (let source, 1) where isSource: remove(source)
        case (let source, 0) where state.withLock { $0.destroyedSources.contains(source) }: _ = takeDescriptor()
        default: break
        }
    }

    private func began(offer id: UInt32) throws {
        guard id >= Object.firstOfCompositor else {
            throw Failure(.protocolViolation, "the compositor has made an object with a number of this program's")
        }
        send { state in
            state.offers.removeAll { $0.id == id }
            state.lastSerial += 1
            state.offers.append(Offer(id: id, serial: state.lastSerial))
            let unused = state.offers.filter(\.selections.isEmpty)
            if unused.count > Self.mostOffers, let oldest = unused.first { Self.destroy(oldest.id, &state) }
        }
    }

    private static func destroy(_ offer: UInt32, _ state: inout State) {
        state.offers.removeAll { $0.id == offer }
        state.send(WaylandMessage.request(offer, 1))
    }

    private func changed(_ selection: Selection, to id: UInt32) throws {
        let (found, isOld) = state.withLock { state in
            for index in state.offers.indices { state.offers[index].selections.remove(selection) }
            if let index = state.offers.firstIndex(where: { $0.id == id }) {
                state.offers[index].selections.insert(selection)
            }
            // Offers before it are no selection any more, or never were.
            let old = state.offers.prefix { $0.id != id }.filter(\.selections.isEmpty)
            for offer in old { Self.destroy(offer.id, &state) }
            let found = state.offers.first { $0.selections.contains(selection) }
            state.serials[selection] = found?.serial
            return (found, state.changes[selection] != nil)
        }
        wakeUp.put((), replacing: { true })
        if !isOld { report(selection, found) }
    }

    private func report(_ selection: Selection, _ offer: Offer?) {
        guard let offer else {
            return events.put(.emptied(selection, isCleared: nil)) { $0.selection == selection }
        }
        let contents = DesktopContents(offer.list.names, serial: offer.serial) { [weak self] name, _, sink in
            guard let self else { throw Failure(.sourceGone, "the display has ended") }
            try await read(name, of: offer, sink)
        }
        events.put(.changed(selection, contents)) { $0.selection == selection }
    }

    // The directory of its socket is the user's own.
    package var user: UInt32? { nil }

    package func serial(of selection: Selection) -> UInt64? {
        state.withLock { $0.changes[selection] == nil ? $0.serials[selection] : 0 }
    }

    // MARK: Transfers

    private func isOffered(_ offer: Offer) -> Bool {
        state.withLock { $0.offers.contains { $0.serial == offer.serial } }
    }

    /// Reads the bytes that a program writes into a pipe.
    private func read(_ name: String, of offer: Offer, _ sink: ByteSink) async throws {
        let replaced = Failure(.superseded, "the program has put other contents on the selection, or has ended")
        guard isOffered(offer) else { throw replaced }
        let count = try await PipeTransfer.read(try request(name, of: offer.id), on: loop, sink)
        guard count == 0 else { return }
        // The pipe of an offer that has ended is closed without a word, perhaps before the news of that.
        await roundTrip()
        if !isOffered(offer) { throw replaced }
    }

    /// Waits until the compositor has handled all requests so far.
    private func roundTrip() async {
        let box = Mailbox<Void>(on: loop)
        send { _ = Self.sync(box, &$0) }
        _ = await box.next(until: MonotonicClock.deadline(milliseconds: DesktopTime.answer))
    }

    private static func sync(_ box: Mailbox<Void>, _ state: inout State) -> UInt32 {
        let callback = state.newID()
        state.callbacks[callback] = box
        state.send(WaylandMessage.request(Object.display, 0) { $0.append(callback) })
        return callback
    }

    /// Asks a program to write the bytes of a name.
    ///
    /// - Returns: the end of a pipe, whose other end only the program has afterwards.
    private func request(_ name: String, of offer: UInt32) throws -> DescriptorBox {
        let (output, input) = try System.pipe().shared()
        send { $0.send(WaylandMessage.request(offer, 0) { $0.append(string: name) }, passing: input) }
        return output
    }

    /// Lets a program have the bytes of a name of ours.
    private func answer(_ source: UInt32, _ name: String) throws {
        let source = state.withLock { state in state.sources.first { $0.id == source } }
        guard let output = takeDescriptor() else {
            throw Failure(.protocolViolation, "the compositor has passed no descriptor")
        }
        guard let source, source.contents.names.contains(name) else { return }
        transfers.start { [loop] in
            let output = try PipeOutput(output, on: loop)
            try await source.contents.transfer(name) { try await output.write($0) }
        }
    }

    private func takeDescriptor() -> DescriptorBox? {
        state.withLock { $0.descriptors.isEmpty ? nil : $0.descriptors.removeFirst() }
    }

    private func remove(_ source: UInt32) {
        send { Self.destroy(source: source, &$0) }
    }

    private static func destroy(source: UInt32, _ state: inout State) {
        state.sources.removeAll { $0.id == source }
        state.destroyedSources.insert(source)
        state.send(WaylandMessage.request(source, 1))
    }

    package func show(
        _ contents: DesktopContents,
        on selection: Selection,
        after serial: UInt64?
    ) async throws -> Bool {
        // The protocol has no times: what a program sets at the same time may be replaced.
        try await change(selection) { state in
            let id = state.newID()
            state.sources.append(Source(id: id, selection: selection, contents: contents))
            if state.sources.count > Self.mostSources { Self.destroy(source: state.sources[0].id, &state) }
            state.send(WaylandMessage.request(state.manager, 0) { $0.append(id) })
            for name in contents.names { state.send(WaylandMessage.request(id, 0) { $0.append(string: name) }) }
            Self.set(selection, to: id, &state)
            return id
        }
        return true
    }

    package func clear(_ selection: Selection, isForAll: Bool) async throws {
        try await change(selection) { state in
            if isForAll {
                Self.set(selection, to: 0, &state)
            } else if let own = state.sources.last(where: { $0.selection == selection }) {
                // This changes nothing if another program has the selection meanwhile.
                Self.destroy(source: own.id, &state)
            }
            return nil
        }
    }

    private static func set(_ selection: Selection, to source: UInt32, _ state: inout State) {
        let request: UInt16 = selection == .clipboard ? 0 : 2
        state.send(WaylandMessage.request(state.device, request) { $0.append(source) })
    }

    /// Changes a selection, and waits until that is over.
    ///
    /// - Parameter body: sends the requests. It returns the new source, if there is one.
    private func change(_ selection: Selection, _ body: (inout State) -> UInt32?) async throws {
        guard selection == .clipboard || state.withLock(\.hasPrimary) else { return }
        let box = Mailbox<Void>(on: loop)
        let (change, source) = state.withLock { state in
            let source = body(&state)
            let change = Self.sync(box, &state)
            state.changes[selection] = change
            return (change, source)
        }
        wakeUp.put((), replacing: { true })
        let isDone = await box.next(until: MonotonicClock.deadline(milliseconds: DesktopTime.stall)) != nil
        let (isLast, isOwn, found) = state.withLock { state in
            let isLast = state.changes[selection] == change
            if isLast { state.changes[selection] = nil }
            let found = state.offers.first { $0.selections.contains(selection) }
            // A source that another program has replaced is gone.
            let isOwn = source.map { source in state.sources.contains { $0.id == source } } ?? (found == nil)
            return (isLast, isOwn, found)
        }
        guard isDone else { throw Failure(.linkDown, "the compositor does not answer") }
        guard isLast else { return }
        guard isOwn else { return report(selection, found) }
        state.withLock { $0.serials[selection] = source == nil ? nil : 0 }
    }
}
