import BrokerLoop
import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A broker without a thread, whose turns a test takes one at a time.
final class SteppedBroker {
    var loop: BrokerLoop
    private var processes: UInt32 = 1_000
    private var copies: [DescriptorBox] = []

    init(
        limits: [String] = [],
        time: SteppedTime? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        var bounds = BrokerLimits.standard
        for limit in ["first-byte=10m", "progress=10m", "hello=10m"] + limits { try bounds.set(limit) }
        let state = try BrokerServer.state(bounds)
        loop =
            if let time {
                try BrokerLoop(state: state, time: { time.now }, timeWithSleep: { time.nowWithSleep }, log: log)
            } else {
                try BrokerLoop(state: state, log: log)
            }
        // The first turn sets the time.
        try step()
    }

    func step(_ turns: Int = 1) throws {
        for _ in 0..<turns { try loop.turn(waiting: false) }
    }

    /// Connects a peer that has sent nothing.
    func connectSilently() throws -> SteppedPeer {
        let pair = try Socket.pair()
        processes += 1
        let peer = SteppedPeer(try System.duplicate(pair.first.raw))
        loop.adopt(pair.keepingSecond(), of: ProcessKey(pid: processes, identity: 1))
        try step()
        return peer
    }

    /// Connects a peer that has sent hello and received welcome.
    ///
    /// - Parameters:
    /// - buffer: the size of the socket's buffers, instead of the system's default.
    /// - process: the process id of the peer, for several connections of one process.
    /// - copied: whether a copy of the broker's descriptor stays open, as in a child of the broker's process.
    func connect(
        descriptors: Bool = false,
        buffer: CInt? = nil,
        process: UInt32? = nil,
        copied: Bool = false
    ) throws -> SteppedPeer {
        let pair = try Socket.pair()
        if copied { copies.append(DescriptorBox(try System.duplicate(pair.second.raw))) }
        if let buffer { Socket.setBuffers(of: pair.second.raw, bytes: buffer) }
        processes += 1
        let peer = SteppedPeer(try System.duplicate(pair.first.raw))
        loop.adopt(pair.keepingSecond(), of: ProcessKey(pid: process ?? processes, identity: 1))
        var hello = Hello()
        if descriptors { hello.features = [Feature.descriptors.rawValue] }
        peer.queue(hello, stream: 0)
        try step(sending: peer)
        guard try peer.hear().first?.kind == .welcome else { throw ScriptedPeerError.nothingCame }
        return peer
    }

    /// Takes a turn after `peer` has sent as much as its socket accepts.
    func step(sending peer: SteppedPeer) throws {
        try peer.push()
        try step()
    }

    /// Sends a request of `peer`, and returns the answer, which must arrive within `turns`.
    func answer(_ request: some WireMessage, to peer: SteppedPeer, turns: Int = 3) throws -> [ScriptedPeer.Frame] {
        let stream = peer.newStream()
        peer.queue(request, stream: stream)
        try peer.push()
        var frames: [ScriptedPeer.Frame] = []
        for _ in 0..<turns {
            try step()
            frames += try peer.hear().filter { $0.stream == stream }
            if let last = frames.last, [.end, .error, .committed].contains(last.kind) || last.header.flags == .last {
                return frames
            }
        }
        throw ScriptedPeerError.nothingCame
    }

    /// The provision of the first representation of the first item.
    func provision(on board: String, for peer: SteppedPeer) throws -> Provision? {
        let frames = try answer(List(board), to: peer, turns: 6)
        return try frames.first { $0.kind == .item }?.decoded(as: Item.self).representations[0].provision
    }

    /// Publishes `items`, each with promises whose descriptions have about `size` bytes in total, at most 50,000.
    func publish(on board: String, size: Int = 100, items: Int = 1, by peer: SteppedPeer) throws {
        let stream = peer.newStream()
        peer.queue(Write(board), stream: stream)
        var item = Item()
        for index in 0...size / 5_000 {
            var representation = Representation()
            representation.type = "com.example.type\(index)"
            representation.provision = .promised
            for number in 0..<min(50, (size - 5_000 * index) / 100) {
                representation.supertypes.append("com.example.\(number)." + String(repeating: "x", count: 80))
            }
            item.representations.append(representation)
        }
        for _ in 0..<items { peer.queue(item, stream: stream) }
        peer.queue(Commit(items: items), stream: stream)
        // Large items take more than one turn.
        for _ in 0..<100 {
            try step(sending: peer)
            if try peer.hear().last?.kind == .committed { return }
        }
        throw ScriptedPeerError.nothingCame
    }
}

/// A clock that a test sets, in milliseconds.
final class SteppedTime: Sendable {
    // Later than the clock of any machine, so that no timer of the system ends before the test advances the time.
    private let time = Lock(UInt64(1) << 40)
    private let slept = Lock(UInt64(0))

    var now: UInt64 { time.withLock { $0 } }
    var nowWithSleep: UInt64 { now + slept.withLock { $0 } }

    func advance(by milliseconds: UInt64) {
        time.withLock { $0 += milliseconds }
    }

    /// Suspends the machine.
    func suspend(for milliseconds: UInt64) {
        slept.withLock { $0 += milliseconds }
    }
}

/// A client that sends and reads only when its test calls it, and never waits.
final class SteppedPeer {
    private var socket: DescriptorBox?
    private var output = OutputBuffer()
    private var input = ReadBuffer()
    private var carry: [UInt8] = []
    private var descriptors = ReceivedDescriptors()
    private var decoder = FrameDecoder()
    private var lastStream: UInt64?
    private(set) var isEnded = false

    init(_ socket: consuming OwnedDescriptor) {
        self.socket = DescriptorBox(socket)
        decoder.takesDescriptors = true
    }

    /// The number of queued bytes that the socket has not accepted.
    var unsent: Int { output.streamCount }

    func newStream() -> UInt64 {
        let stream = lastStream.map { $0 + 2 } ?? 1
        lastStream = stream
        return stream
    }

    func queue(_ message: some WireMessage, stream: UInt64) {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream)
        output.appendStream(encoder.bytes.span)
    }

    func queueData(_ bytes: [UInt8], stream: UInt64, last: Bool) {
        let header = FrameHeader(.data, stream: stream, length: bytes.count, flags: last ? .last : .none)
        output.appendStream(header: header, payload: bytes.span)
    }

    /// Queues lists, and returns their streams.
    @discardableResult
    func queueLists(of board: String, count: Int) -> [UInt64] {
        let streams = (0..<count).map { _ in newStream() }
        for stream in streams { queue(List(board), stream: stream) }
        return streams
    }

    /// Queues a write of kept bytes in `count` types, and returns its stream. If there is a `file`, it is passed
    /// instead of the bytes.
    @discardableResult
    func queueWrite(
        _ bytes: [UInt8],
        to board: String,
        _ terms: ContentTerms? = nil,
        as file: MemoryFile? = nil,
        count: Int = 1
    ) -> UInt64 {
        let stream = newStream()
        var write = Write(board)
        write.terms = terms
        if terms != nil { write.requires = [Feature.terms.rawValue] }
        queue(write, stream: stream)
        var item = Item()
        for index in 0..<count {
            var representation = Representation()
            representation.type = index == 0 ? "public.data" : "com.example.type\(index)"
            representation.provision = .kept
            representation.byteCount = UInt64(bytes.count)
            item.representations.append(representation)
        }
        queue(item, stream: stream)
        if let file {
            output.markDescriptors([file.descriptor], name: stream)
            let header = FrameHeader(.data, stream: stream, length: 0, flags: .last, descriptorCount: 1)
            let nothing: [UInt8] = []
            output.appendStream(header: header, payload: nothing.span)
        } else {
            for _ in 0..<count { queueData(bytes, stream: stream, last: true) }
        }
        queue(Commit(items: 1), stream: stream)
        return stream
    }

    /// Makes the system refuse to pass descriptors to this peer. Returns false if the system cannot do that.
    func refuseDescriptors() -> Bool {
        Socket.setPassesDescriptors(socket?.raw ?? -1, false)
    }

    /// Queues one frame with a number of descriptors of a file.
    func queue(_ message: some WireMessage, stream: UInt64, passing file: DescriptorBox, count: Int = 1) {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream, flags: .last, descriptorCount: 1)
        output.markDescriptors([DescriptorBox](repeating: file, count: count), name: stream)
        output.appendStream(encoder.bytes.span)
    }

    /// Sends as many of the queued bytes as the socket accepts.
    func push() throws {
        guard let socket else { return }
        var deliveries: [Delivery] = []
        _ = try output.flush(to: socket.raw, delivered: &deliveries)
    }

    /// Sends the end of the input, and continues to read.
    func endWriting() {
        if let socket { _ = shutdown(socket.raw, CInt(SHUT_WR)) }
    }

    /// The frames that have arrived since the last call. A data frame may be divided into several.
    func hear() throws -> [ScriptedPeer.Frame] {
        var frames: [ScriptedPeer.Frame] = []
        while let socket, !isEnded {
            switch try input.receive(from: socket.raw, carry: &carry, descriptors: &descriptors) {
            case .wouldBlock: return frames
            case .endOfFile: isEnded = true
            case .bytes:
                var consumed = 0
                try input.withBytes { bytes in
                    while let chunk = try decoder.next(in: bytes, at: &consumed) {
                        var payload: [UInt8] = []
                        payload.append(copying: bytes.extracting(chunk.payload))
                        var header = chunk.header
                        if !chunk.isLast { header.flags = .none }
                        frames.append(ScriptedPeer.Frame(header: header, payload: payload))
                    }
                }
                input.keep(unconsumedFrom: consumed, into: &carry)
            }
        }
        return frames
    }

    /// Queues the first bytes of a list.
    func queuePartOfList(count: Int) {
        var encoder = FrameMemory()
        encoder.append(List(String(repeating: "x", count: 60_000)), stream: newStream())
        output.appendStream(encoder.bytes.span.extracting(0..<count))
    }

    /// Closes the connection as the end of its process would, even if a child of another test has a copy of the
    /// descriptor.
    func close() {
        if let socket { _ = shutdown(socket.raw, CInt(SHUT_RDWR)) }
        self.socket = nil
    }
}

extension List {
    init(_ board: String) {
        self.init()
        self.board = board
    }
}

extension Write {
    init(_ board: String) {
        self.init()
        self.board = board
    }
}

extension Load {
    /// A load of the first item on the board, inline.
    init(_ board: String) {
        self.init()
        self.board = board
        credit = 1 << 20
    }
}

extension Commit {
    init(items: Int) {
        self.init()
        itemCount = UInt32(clamping: items)
    }
}
