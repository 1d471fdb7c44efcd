package import PasteboardWire

/// A frame that a peer of an exchange has received.
package struct ReceivedFrame: Sendable {
    package var header: FrameHeader
    package var payload: [UInt8]
    /// The descriptor that was passed with the frame.
    package var passed: PassedDescriptor?

    package init(header: FrameHeader, payload: [UInt8], passed: PassedDescriptor? = nil) {
        self.header = header
        self.payload = payload
        self.passed = passed
    }

    /// The kind, the stream and the fields.
    package var text: String { FrameDescription(header, payload: payload.span).text }
}

/// The connections of an exchange to a broker. A peer is connected when it is named for the first time.
package protocol ExchangePeers {
    /// - Parameter passed: the descriptor that is passed with the frame.
    mutating func send(_ bytes: [UInt8], passing passed: PassedDescriptor?, from peer: String) throws(ExchangeFault)

    /// Waits for the next frame; nil at the end of the connection.
    mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame?

    mutating func close(_ peer: String)

    /// Lets time pass for the broker, if the connections have its clock.
    mutating func pass(milliseconds: UInt64) throws(ExchangeFault)

    /// The number of records or bytes that the broker holds, if the connections know that.
    func held(_ name: String) throws(ExchangeFault) -> UInt64
}

extension ExchangePeers {
    package mutating func pass(milliseconds _: UInt64) throws(ExchangeFault) {
        throw ExchangeFault("the connections have no clock")
    }

    package func held(_ name: String) throws(ExchangeFault) -> UInt64 {
        throw ExchangeFault("the connections do not know what the broker holds")
    }
}

/// The difference between an exchange and its vector.
package struct ExchangeFault: Error {
    /// The expected and the actual event.
    package let text: String
    /// Whether the other side sent nothing until the deadline.
    package let isSilence: Bool
    /// The rule that is broken, if it is a certain one.
    package let rule: String?
    /// The step of the exchange: its number, from 1, and the line in the file of the vector. Nil after the last step.
    package fileprivate(set) var step: (number: Int, line: Int)?

    package init(_ text: String, isSilence: Bool = false, rule: String? = nil) {
        self.text = text
        self.isSilence = isSilence
        self.rule = rule
    }
}

/// Sends the clients' frames of a vector, and compares the broker's with those that it shows.
///
/// The frames of one stream are compared in their order. Between streams nothing is guaranteed (O9).
package struct ExchangePlayer<Peers: ExchangePeers> {
    /// A list on this stream shows that the broker has processed all earlier frames of the connection.
    private static var lastProbe: UInt64 { 1 << 62 | 1 }

    private var peers: Peers
    private var match = FrameMatch()
    /// The frames that no step has compared yet.
    private var received: [String: [ReceivedFrame]] = [:]
    private var audits: [String: BrokerAudit] = [:]
    /// The highest stream that each client has opened.
    private var highest: [String: UInt64] = [:]
    private var events: [(peer: String, isSent: Bool, frame: ReceivedFrame)] = []
    /// The rules that single frames of the broker have broken, whether the exchange has gone as shown or not.
    package private(set) var broken: [BrokenRule] = []
    private var ended: Set<String> = []
    private var lastSender = ""

    package init(_ peers: Peers) {
        self.peers = peers
    }

    /// The rules that single frames of the broker could have broken.
    package var judged: Set<String> { audits.values.reduce(into: []) { $0.formUnion($1.judged) } }

    /// The frames of the exchange so far, one a line.
    package var transcript: [String] {
        events.map { event in "\(event.peer) \(event.isSent ? "->" : "<-") \(event.frame.text)" }
    }

    package mutating func play(_ vector: Vector) throws(ExchangeFault) {
        for (index, frame) in vector.frames.enumerated() {
            do throws(ExchangeFault) {
                try play(frame)
            } catch {
                var fault = error
                fault.step = (index + 1, frame.line)
                throw fault
            }
        }
        switch vector.outcome {
        case .violation(let code): try expectEnd(of: lastSender, code: code)
        default: try expectNothing(for: lastSender, probe: Self.lastProbe)
        }
    }

    private mutating func play(_ frame: VectorFrame) throws(ExchangeFault) {
        if let step = frame.step { return try play(step) }
        guard !frame.isNothing else {
            // The other connections may have been sent something that the broker still has to act on.
            for peer in highest.keys.sorted() where peer != frame.peer { try probe(peer, nextProbe(peer)) }
            return try expectNothing(for: frame.peer, probe: nextProbe(frame.peer))
        }
        switch (frame.sender == "broker", frame.isClose) {
        case (false, true):
            peers.close(frame.peer)
            ended.insert(frame.peer)
            if lastSender == frame.peer { lastSender = "" }
        case (false, false):
            lastSender = frame.peer
            try send(frame.bytes(with: match.bound), passing: frame.passed, from: frame.peer)
        case (true, true):
            try expectEnd(of: frame.peer, code: nil)
        case (true, false) where frame.header?.kind == .data:
            try expectData(frame)
        case (true, false):
            try expect(frame)
        }
    }

    private mutating func play(_ step: StateStep) throws(ExchangeFault) {
        switch step {
        case .after(let milliseconds): try peers.pass(milliseconds: milliseconds)
        case .holds(let name, let expected):
            let count = try peers.held(name)
            if count != expected { throw ExchangeFault("expected \(name): \(expected), but the broker holds \(count)") }
        }
    }

    private mutating func send(
        _ bytes: [UInt8],
        passing passed: PassedDescriptor? = nil,
        from peer: String
    ) throws(ExchangeFault) {
        if let header = FrameHeader(bytes.span, at: 0) {
            let frame = ReceivedFrame(header: header, payload: Array(bytes.dropFirst(FrameHeader.byteCount)))
            events.append((peer, true, frame))
            if header.stream & 1 == 1 || header.stream == 0 {
                highest[peer] = max(highest[peer] ?? 0, header.stream)
            }
        }
        try peers.send(bytes, passing: passed, from: peer)
    }

    // MARK: Frames of the broker

    private mutating func expect(_ frame: VectorFrame) throws(ExchangeFault) {
        let kind = frame.header?.kind
        let actual = try next(frame, orEnds: false)
        guard actual.header.kind == kind, actual.header.flags.contains(.last) == frame.header?.flags.contains(.last),
            actual.header.descriptorCount == frame.header?.descriptorCount
        else { throw ExchangeFault("expected \(frame.text), got \(actual.text)") }
        if let name = frame.streamName { match.bind(name, toStream: actual.header.stream) }
        if let passed = frame.passed, actual.passed != passed {
            let text = actual.passed.map { "a descriptor of another sort: \($0)" } ?? "no descriptor"
            throw ExchangeFault("expected a descriptor: \(passed), got \(text) with \(actual.text)")
        }
        guard let difference = match.difference(actual.payload, from: frame) else { return }
        throw ExchangeFault("expected \(frame.text), got \(actual.text): \(difference)")
    }

    /// Takes the frames of a byte sequence, whose boundaries have no meaning (F6).
    private mutating func expectData(_ frame: VectorFrame) throws(ExchangeFault) {
        let expected = frame.bytes.dropFirst(FrameHeader.byteCount)
        var bytes: [UInt8] = []
        var isLast = false
        let needsLast = frame.header?.flags.contains(.last) == true
        while bytes.count < expected.count || needsLast && !isLast {
            let actual = try next(frame, orEnds: true)
            guard actual.header.kind == .data || actual.header.kind == .end && needsLast else {
                throw ExchangeFault("expected \(expected.count) bytes, got \(bytes.count) and then \(actual.text)")
            }
            if actual.header.kind == .data { bytes += actual.payload }
            isLast = actual.header.kind == .end || actual.header.flags.contains(.last)
            if isLast { break }
        }
        guard expected.elementsEqual(bytes), isLast == needsLast else {
            let end = needsLast ? " and the end" : ""
            throw ExchangeFault(
                "expected the bytes \(FrameMatch.text(expected))\(end), got \(FrameMatch.text(bytes))\(isLast ? " and the end" : "")"
            )
        }
    }

    /// Waits for the next frame on the stream of a shown frame or, while its name stands for no stream yet, for one of
    /// its kind on a stream of the broker.
    private mutating func next(_ frame: VectorFrame, orEnds: Bool) throws(ExchangeFault) -> ReceivedFrame {
        let stream = match.stream(of: frame)
        let kind = frame.header?.kind
        while true {
            let frames = received[frame.peer] ?? []
            let index = frames.firstIndex { candidate in
                guard let stream else { return candidate.header.kind == kind && candidate.header.stream & 1 == 0 }
                return candidate.header.stream == stream
                    && (candidate.header.kind == kind || !candidate.isOptional(before: kind))
            }
            if let index {
                // The optional frames that came before on the stream are over.
                let rest = frames[..<index].filter { $0.header.stream != frames[index].header.stream }
                received[frame.peer] = rest + frames[(index + 1)...]
                return frames[index]
            }
            guard try receive(for: frame.peer, expecting: frame.text) else {
                throw ExchangeFault("expected \(frame.text), got the end of the connection")
            }
            guard stream != 0, let failure = received[frame.peer]?.last, failure.header.stream == 0,
                failure.header.kind == .error
            else { continue }
            throw ExchangeFault("expected \(frame.text), got \(failure.text)")
        }
    }

    /// Receives one more frame; false at the end of the connection.
    private mutating func receive(for peer: String, expecting event: String) throws(ExchangeFault) -> Bool {
        guard !ended.contains(peer) else { return false }
        do throws(ExchangeFault) {
            guard let frame = try peers.next(for: peer) else {
                ended.insert(peer)
                return false
            }
            events.append((peer, false, frame))
            broken += audits[peer, default: BrokerAudit()].judge(frame, highest: highest[peer] ?? 0)
            received[peer, default: []].append(frame)
            return true
        } catch {
            throw ExchangeFault(
                "expected \(event), but \(error.text)",
                isSilence: error.isSilence,
                rule: error.rule
            )
        }
    }

    // MARK: Ends

    private mutating func expectEnd(of peer: String, code: String?) throws(ExchangeFault) {
        while try receive(for: peer, expecting: "the end of the connection") {}
        // The error may be lost with the connection (C11).
        guard let code, let last = received[peer]?.last, last.header.kind == .error, last.header.stream == 0 else {
            return
        }
        let failure = try? Failure(decoding: last.payload)
        guard failure?.code.description != code else { return }
        throw ExchangeFault("expected error \(code) on stream 0, got \(last.text)")
    }

    /// Checks that the connection continues, and that the broker has sent nothing else.
    private mutating func expectNothing(for peer: String, probe stream: UInt64) throws(ExchangeFault) {
        guard !peer.isEmpty, !ended.contains(peer) else { return }
        try probe(peer, stream)
        guard let other = received[peer]?.first(where: { !$0.isOptional(before: nil) }) else { return }
        throw ExchangeFault("expected nothing, got \(other.text)")
    }

    /// A stream that the client can open for a list.
    private func nextProbe(_ peer: String) -> UInt64 { ((highest[peer] ?? 0) &+ 1) | 1 }

    /// Waits until the broker has processed all frames of the connection.
    private mutating func probe(_ peer: String, _ stream: UInt64) throws(ExchangeFault) {
        guard !ended.contains(peer) else { return }
        var list = List()
        list.board = "conformance"
        var encoder = FrameMemory()
        encoder.append(list, stream: stream)
        try send(encoder.bytes, from: peer)
        while true {
            guard try receive(for: peer, expecting: "the answer to a list") else {
                let text = received[peer]?.last.map { ", after \($0.text)" } ?? ""
                throw ExchangeFault("expected nothing, got the end of the connection\(text)")
            }
            guard let last = received[peer]?.last, last.header.stream == stream else { continue }
            received[peer]?.removeLast()
            if last.header.kind == .end || last.header.kind == .error { return }
        }
    }
}

extension ReceivedFrame {
    /// Whether a broker may send the frame before one of this kind, or at any time if that is nil.
    fileprivate func isOptional(before kind: FrameKind?) -> Bool {
        // A session may leave its destination before it ends.
        header.kind == .credit || header.kind == .progress || header.kind == .exit && (kind == .end || kind == .error)
    }
}
