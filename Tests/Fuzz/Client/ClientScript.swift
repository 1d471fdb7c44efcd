import BrokerModel
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Reads an input as the calls of a program and the frames of a hostile broker. Each stream ends once, ids increase,
/// and no ask sends more than its credit.
struct ClientScript {
    private var maker: MessageMaker
    private var state: ClientState
    private var decoder = FrameDecoder()
    /// The open streams of the program, the asks with their credit, and the sessions at destinations.
    private var open: Set<UInt64> = []
    private var asks: [UInt64: (credit: UInt64, sent: UInt64)] = [:]
    private var sessions: Set<UInt64> = []
    private var highest: UInt64 = 0
    private var isWelcomed = false

    private static let opening: Set<FrameKind> = [
        .write, .load, .list, .clear, .status, .stop, .drag, .destination, .watch, .createBoard,
    ]
    /// The kinds that a broker sends.
    private static let received: [FrameKind] = [
        .ask, .answer, .committed, .contents, .item, .statusEntry, .data, .end, .error, .cancel, .credit, .progress,
        .registered, .change, .session, .enter, .update, .exit, .perform, .proposal, .dropped, .transferred, .welcome,
    ]

    init(_ bytes: [UInt8]) {
        maker = MessageMaker(input: Choices(bytes))
        var hello = Hello()
        let form = maker.input.byte()
        hello.maximumStreams = form & 1 == 0 ? 8 : nil
        if form & 2 != 0 { hello.features = [Feature.descriptors.rawValue, Feature.dropReports.rawValue] }
        state = ClientState(hello: hello)
    }

    mutating func run() {
        collect()
        if maker.input.choice(16) != 0 {
            var welcome = Welcome()
            welcome.version = UInt32(FrameHeader.version)
            welcome.maximumStreams = 3
            welcome.features = [Feature.descriptors.rawValue, Feature.dropReports.rawValue]
            receive(.welcome, welcome.encoded, on: 0)
        }
        while !maker.input.isEmpty {
            if maker.input.flag() { call() } else { receive() }
            collect()
        }
        let lost = state.connectionLost(Failure(.brokerUnavailable, ""))
        check(Set(lost.streams) == open && lost.streams.count == open.count, "\(lost.streams) end, of \(open.sorted())")
        check(Set(lost.asks) == Set(asks.keys), "asks \(lost.asks) end, of \(asks.keys.sorted())")
        check(Set(lost.destinationSessions) == sessions, "sessions \(lost.destinationSessions) end, of \(sessions)")
        check(!state.isAwaiting || !isWelcomed, "a lost connection awaits answers")
    }

    // MARK: Calls of the program

    private mutating func call() {
        let stream = stream()
        switch maker.input.choice(30) {
        case 0...2:
            var load = Load()
            load.credit = maker.input.flag() ? maker.input.number() : nil
            load.descriptorWelcome = maker.input.flag()
            load.maximumByteCount = maker.input.flag() ? maker.input.number() : nil
            record(try? state.open(load))
        case 3: record(try? state.open(Write()))
        case 4: record(try? state.open(List()))
        case 5: record(try? state.open(Clear()))
        case 6: record(try? state.open(Status()))
        case 8: record(try? state.open(Destination()))
        case 9, 10:
            var drag = Drag()
            drag.handle = maker.input.flag() ? nil : 1
            record(try? state.open(drag))
        case 11: state.sendProbe()
        case 12:
            state.cancel(stream)
            open.remove(stream)
        case 13: state.consumed(stream, count: Int(clamping: maker.input.number()))
        case 14: state.grant(stream)
        case 15: state.commit(stream, itemCount: maker.input.choice(3))
        case 16: try? state.add(maker.item(), to: stream)
        case 17:
            state.end(stream)
            asks[stream] = nil
        case 18:
            state.fail(stream, Failure(.sourceFailed, ""))
            asks[stream] = nil
        case 19: state.begin(stream)
        case 20: try? state.move(stream, to: maker.input.flag() ? Location() : nil, sequence: maker.input.number())
        case 21: state.drop(stream)
        case 22: state.performed(Performed(), on: stream)
        case 23: state.conclude(Conclude(), on: stream)
        case 24:
            state.leave(stream)
            sessions.remove(stream)
        case 25: state.propose(Proposal(), on: stream)
        case 26: state.progress(stream, completed: maker.input.number(), total: nil)
        default: sendData(on: stream)
        }
    }

    private mutating func record(_ stream: UInt64?) {
        guard let stream else { return }
        check(open.insert(stream).inserted, "stream \(stream) is opened twice")
    }

    private mutating func sendData(on stream: UInt64) {
        let last = maker.input.flag()
        let count = Int(maker.input.number() & 0x7FFFF)
        let header = state.dataHeader(on: stream, count: count, last: last)
        guard let header, let ask = asks[stream] else { return }
        let sent = ask.sent + UInt64(header.length)
        asks[stream]?.sent = sent
        check(sent <= ask.credit, "ask \(stream) sends \(sent) bytes, with credit for \(ask.credit)")
        if header.flags.contains(.last) { asks[stream] = nil }
    }

    /// A stream that may be open. Both sides use small numbers, so that they often mean the same one.
    private mutating func stream() -> UInt64 {
        switch maker.input.choice(8) {
        case 0...3: 2 * UInt64(maker.input.choice(24)) + 1
        case 4: 2 * UInt64(maker.input.choice(8))
        case 5: StreamID(destinationSessionSlot: UInt32(maker.input.choice(4)), generation: 1).rawValue
        case 6: StreamID(askSlot: UInt32(maker.input.choice(8)), generation: 1).rawValue
        default: maker.input.number()
        }
    }

    // MARK: Frames of the broker

    private mutating func receive() {
        let kind = Self.received[maker.input.choice(Self.received.count)]
        let stream = stream()
        var payload: [UInt8]
        switch kind {
        case .ask:
            var ask = Ask()
            ask.credit = maker.input.number()
            payload = ask.encoded
        case .session:
            var session = Session()
            session.destination = 2 * UInt64(maker.input.choice(16)) + 1
            session.handle = maker.input.number()
            payload = session.encoded
        case .dropped:
            var dropped = Dropped()
            dropped.operation = DropOperation(rawValue: UInt32(maker.input.choice(5)))
            payload = dropped.encoded
        case .welcome:
            var welcome = Welcome()
            welcome.version = 1
            welcome.maximumStreams = maker.input.number32()
            payload = welcome.encoded
        case .data: payload = [UInt8](repeating: 7, count: maker.input.choice(8))
        case .answer, .end, .error, .credit, .progress, .enter, .exit, .proposal, .item:
            payload = maker.payload(of: kind)
        default: payload = maker.input.flag() ? [] : maker.input.take(maker.input.choice(32))
        }
        if maker.input.choice(16) == 0, !payload.isEmpty {
            payload[maker.input.choice(payload.count)] = maker.input.byte()
        }
        receive(kind, payload, on: stream)
    }

    private mutating func receive(_ kind: FrameKind, _ payload: [UInt8], on stream: UInt64) {
        let form = maker.input.byte()
        var header = FrameHeader(kind, stream: stream, length: payload.count)
        if form & 1 != 0 { header.flags = .last }
        if form & 14 == 14 { header.descriptorCount = 1 }
        if form & 0xF0 == 0xF0 { header.rawKind = maker.input.byte() }
        var encoder = FrameMemory()
        encoder.append(header: header)
        let bytes = encoder.bytes + payload
        decoder.takesDescriptors = state.passesDescriptors
        var offset = 0
        var events: [ClientEvent] = []
        // A driver would close the connection after a violation; the state keeps its invariants even if one does not.
        guard let chunk = try? decoder.next(in: bytes.span, at: &offset) else {
            decoder = FrameDecoder()
            return
        }
        if !chunk.isLast { decoder = FrameDecoder() }
        do throws(Failure) {
            let missing: MissingDescriptor = form & 16 == 0 ? .notSent : .dropped
            try state.received(
                chunk,
                in: bytes.span,
                descriptor: { .failure(missing) },
                { _, event, _ in events.append(event) }
            )
        } catch {
            check(!error.text.isEmpty, "a violation without a text")
        }
        check(events.count <= 1, "one frame leads to \(events.count) events")
        for event in events { record(event) }
    }

    private mutating func record(_ event: ClientEvent) {
        let stream = event.stream
        switch event {
        case .welcomed:
            check(!isWelcomed, "a second welcome")
            isWelcomed = true
        case .asked(_, let ask):
            check(asks.updateValue((ask.credit, 0), forKey: stream) == nil, "ask \(stream) is opened twice")
        case .askCredit:
            guard let ask = asks[stream] else { fault("credit for ask \(stream), which is not open") }
            let sendable = state.sendable(stream) ?? 0
            check(sendable > 0, "ask \(stream) may send nothing after it was granted credit")
            asks[stream]?.credit = ask.sent.addingClamped(UInt64(sendable))
        case .askCancelled: check(asks.removeValue(forKey: stream) != nil, "ask \(stream) ends twice")
        case .session:
            check(asks[stream] == nil, "session \(stream) is an ask")
            sessions.insert(stream)
        case .item, .entered, .updated, .left, .perform, .ended, .failed:
            if stream & 1 == 1 { return recordOwn(event) }
            check(sessions.contains(stream), "session \(stream) is not open")
            if event.isEnd { sessions.remove(stream) }
        default: recordOwn(event)
        }
    }

    private mutating func recordOwn(_ event: ClientEvent) {
        // Events of a destination's session have an even number.
        guard event.stream & 1 == 1 else { return check(sessions.contains(event.stream), "an event of no session") }
        check(open.contains(event.stream), "an event of stream \(event.stream), which is not open")
        if event.isEnd { open.remove(event.stream) }
    }

    /// Takes the frames to send.
    private mutating func collect() {
        for frames in [state.connectionFrames, state.streamFrames] {
            var offset = 0
            while offset < frames.count, let header = FrameHeader(frames.memory.span, at: offset) {
                offset += FrameHeader.byteCount + Int(header.length)
                check(header.length <= UInt32(WireLimits.controlLength), "a frame of \(header.length) bytes is sent")
                guard let kind = header.kind else { fault("an unknown frame is sent") }
                guard Self.opening.contains(kind) else { continue }
                check(header.stream & 1 == 1 && header.stream > highest, "stream \(header.stream) after \(highest)")
                highest = header.stream
            }
            check(offset == frames.count, "an incomplete frame is sent")
        }
        state.connectionFrames.removeAll()
        state.streamFrames.removeAll()
    }
}

extension ClientEvent {
    /// Whether the event ends a stream of the program or an ask.
    fileprivate var isEnd: Bool {
        switch self {
        case .data(_, _, let last): last
        case .passed, .ended, .failed, .askCancelled: true
        default: false
        }
    }
}
