package import BrokerState
package import PasteboardWire

// Frames from peers.
extension StateHarness {
    package func send(_ message: some WireMessage, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream)
        sendBytes(encoder.bytes, from: peer)
    }

    package func data(_ bytes: [UInt8], last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameMemory()
        encoder.appendData(bytes, stream: stream, flags: last ? .last : [])
        sendBytes(encoder.bytes, from: peer)
    }

    package func data(count: Int, last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var rest = count
        repeat {
            let piece = min(rest, WireLimits.dataLength)
            rest -= piece
            let bytes = [UInt8](repeating: 7, count: piece)
            data(bytes, last: last && rest == 0, on: stream, from: peer)
        } while rest > 0
    }

    /// Sends a frame with any header and payload.
    package func raw(
        kind: UInt8,
        flags: UInt8 = 0,
        descriptors: UInt8 = 0,
        payload: [UInt8] = [],
        on stream: UInt64,
        from peer: PeerID
    ) {
        var encoder = FrameMemory()
        var header = FrameHeader(.data, stream: stream, length: payload.count, descriptorCount: descriptors)
        header.rawKind = kind
        header.flags = FrameFlags(rawValue: flags)
        encoder.append(header: header)
        sendBytes(encoder.bytes + payload, from: peer)
    }

    /// Sends a frame that announces one descriptor, and passes that descriptor.
    package func pass(
        _ descriptor: ReceivedDescriptor?,
        kind: FrameKind,
        payload: [UInt8] = [],
        on stream: UInt64,
        from peer: PeerID
    ) {
        received = descriptor
        raw(kind: kind.rawValue, flags: 1, descriptors: 1, payload: payload, on: stream, from: peer)
        received = nil
    }

    /// - Parameter descriptor: the descriptor that is passed with a frame whose header announces one.
    package func sendBytes(_ bytes: [UInt8], passing descriptor: ReceivedDescriptor? = nil, from peer: PeerID) {
        if let descriptor { received = descriptor }
        defer { if descriptor != nil { received = nil } }
        setTime()
        perform()
        var offset = 0
        while var decoder = decoders[peer] {
            let piece: FrameChunk?
            do throws(Failure) {
                piece = try decoder.next(in: bytes.span, at: &offset)
            } catch {
                state.violated(peer, error)
                return perform()
            }
            decoders[peer] = decoder
            guard let piece else { return }
            process(piece, Array(bytes[piece.payload]), from: peer)
        }
    }

    private func process(_ piece: FrameChunk, _ payload: [UInt8], from peer: PeerID) {
        let (cost, records) = (state.world.context.cost, state.held.recordCount)
        guard piece.header.rawKind == FrameKind.data.rawValue, piece.header.descriptorCount == 0 else {
            state.received(piece.header, payload.span, descriptor: received, from: peer)
            checkCost(from: cost, records, of: piece.header, payload.count)
            decoders[peer]?.limitBeforeHello = nil
            return perform()
        }
        let stream = piece.header.stream
        let verdict = state.relay(stream: stream, count: payload.count, last: piece.endsSequence, from: peer)
        checkCost(from: cost, records, of: piece.header, payload.count)
        collect()
        switch verdict {
        case .forward(let destination, let target, let load, let length, let last):
            check(length == WireLimits.dataLength || length == WireLimits.sharedDataLength, "frames of \(length) bytes")
            move(payload.count, from: stream)
            receive(Frame(data: payload, last: last, stream: target), at: destination)
            queued(load, payload.count, at: destination)
        case .keep(let kept):
            store(payload, in: kept)
        case .cache(let kept, let last):
            move(payload.count, from: stream)
            guard !isMemoryFull else {
                state.keptWriteFailed(kept, reason: "no memory")
                break
            }
            store(payload, in: kept)
            state.stored(kept, count: payload.count, last: last)
        case .drop, .closing:
            break
        }
        perform()
    }

    private func move(_ count: Int, from ask: UInt64) {
        moved[ask, default: 0] += UInt64(count)
        check(moved[ask, default: 0] <= granted[ask, default: 0], "ask \(ask) has sent bytes without credit")
    }

    private func store(_ bytes: [UInt8], in kept: KeptID) {
        let isOpen = !closedKept.contains(kept) && !sealed.contains(kept) && memory[kept]?.isAdopted != true
        check(isOpen, "\(kept) takes no more bytes")
        memory[kept, default: KeptMemory()].append(bytes)
    }

    // MARK: Costs

    /// The maximum cost of one frame: two visits of the loop to a process, each of `ReadingQueue.quantum` units.
    ///
    /// The loop compares the cost with its limits between frames, so a frame delays others by all of its cost. With two
    /// visits a process is in debt for one round at most, and a turn of 50,000 units is at most a tenth longer.
    static let greatestCost = 5_000
    /// The cost of a record that a frame ends, such as a load. Each was paid for when it was made.
    private static let greatestEndCost = 20

    private func checkCost(from cost: Int, _ records: Int, of header: FrameHeader, _ count: Int) {
        inputCost = state.world.context.cost - cost
        let ended = max(0, records - state.held.recordCount)
        let most = Self.greatestCost + Self.greatestEndCost * ended
        check(
            inputCost <= most,
            "a frame of kind \(header.rawKind) with \(count) bytes costs \(inputCost) units, of \(most)"
        )
    }
}

extension BrokerState.Held {
    fileprivate var recordCount: Int {
        peers + loads + writes + publications + sessions + destinationSessions + destinations + watches
            + createdBoards
    }
}
