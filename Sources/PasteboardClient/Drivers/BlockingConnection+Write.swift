import PasteboardTransport
package import PasteboardWire

/// The result of a write, or of the offer of a drag session. It exists as long as `stream`: the event `ended` reports
/// that it was replaced or cleared, or that the session has ended.
package struct BlockingPublication: Sendable, Equatable {
    package let stream: UInt64
    package let committed: Committed
}

// Writes. Bytes are sent as they are read, so this process never holds large contents.
extension BlockingConnection {
    /// Writes items to a board, and returns after the broker has made them visible.
    ///
    /// Throws a `Failure`, or a `SystemError` if the caller's own descriptor cannot be read. Then the contents of the
    /// board are unchanged. If the broker refuses the write, this fails at once, and neither reads nor sends the rest.
    package func write(_ write: Write, items: [WriteItem]) throws -> BlockingPublication {
        // A broker that was lost since the last request gets nothing.
        reached = .nothing
        try io.turn(until: 0) { _, event, bytes in keep(event, bytes) }
        return try send(items, on: try io.state.open(write), passesMemory: write.terms?.isConcealed != true)
    }

    /// Offers items as a drag session, which can begin afterwards. Otherwise like `write`.
    package func offer(_ drag: Drag, items: [WriteItem]) throws -> BlockingPublication {
        try send(items, on: try io.state.open(drag), passesMemory: true)
    }

    /// - Parameter passesMemory: false for secrets, which the broker keeps in its own memory only.
    private func send(_ items: [WriteItem], on stream: UInt64, passesMemory: Bool) throws -> BlockingPublication {
        reached = .uncommitted
        do {
            for item in items {
                try io.state.add(item.message, to: stream)
                for (_, source) in item.representations { try send(source, on: stream, passesMemory: passesMemory) }
            }
        } catch {
            io.state.cancel(stream)
            try? io.flush()
            throw error
        }
        io.state.commit(stream, itemCount: items.count)
        reached = .request
        let committed = try answer(on: stream) { event in
            if case .committed(_, let committed) = event { committed } else { nil }
        }
        return BlockingPublication(stream: stream, committed: committed)
    }

    private func send(_ source: ByteSource, on stream: UInt64, passesMemory: Bool) throws {
        switch source {
        case .promised:
            break
        case .bytes(let bytes):
            try send(OutgoingChunk(bytes, isLast: true), on: stream)
        case .memory(let file):
            try send(file, on: stream, passes: passesMemory)
        case .pieces(let descriptor, let next):
            try send(of: descriptor, on: stream, next)
        }
    }

    /// Passes a memory file. If it must not be passed, the broker accepts no descriptors, the system does not pass the
    /// file, or the broker could not save it as it is, the bytes are sent.
    private func send(_ file: MemoryFile, on stream: UInt64, passes: Bool) throws {
        let size = try file.size
        if passes, file.isInDirectory || size > io.state.welcome?.keptDirectoryRoom ?? 0, io.passKept(file, on: stream)
        {
            repeat { try sendingStep(stream, untilSent: true) } while io.wantsWrite
            guard io.takeRefusal(of: stream) else { return }
        }
        var outgoing = OutgoingFile(file.descriptor, byteCount: size)
        while let chunk = try Self.chunk(of: outgoing) {
            try send(chunk, on: stream)
            if chunk.isLast { return }
            outgoing.advance(by: UInt64(chunk.count))
        }
    }

    private static func chunk(of file: OutgoingFile) throws -> OutgoingChunk? {
        do throws(OutgoingFile.ReadError) {
            return try file.next()
        } catch {
            switch error {
            case .unreadable(let error): throw error
            // All seals are set, so the file can be shorter only if the caller passed a wrong size.
            case .truncated(let offset):
                throw Failure(.invalidArgument, "a memory file ends after \(offset) of \(file.byteCount) bytes")
            }
        }
    }

    private func send(of descriptor: CInt, on stream: UInt64, _ next: () throws -> [UInt8]) throws {
        while true {
            // The broker may refuse the write while the descriptor has no bytes.
            let interest = PollInterest(descriptor, .readable)
            while try sendingStep(stream, extra: [interest]).first?.isEmpty ?? true {}
            let bytes = try next()
            try send(OutgoingChunk(bytes, isLast: bytes.isEmpty), on: stream)
            if bytes.isEmpty { return }
        }
    }

    private func send(_ chunk: OutgoingChunk, on stream: UInt64) throws {
        var chunk = chunk
        var goesOn = true
        while goesOn {
            goesOn = try io.sendFrame(of: &chunk, on: stream)
            // A small remainder is sent together with the next frames, which are usually those of the commit.
            if !goesOn, io.waitingCount < WireLimits.inlineLength { return }
            // Takes at least one turn, to notice a refusal, and more turns until the socket has room.
            repeat { try sendingStep(stream, untilSent: true) } while io.wantsWrite
        }
    }

    /// Takes one turn, and throws the failure of the stream, if it has failed.
    @discardableResult
    private func sendingStep(
        _ stream: UInt64,
        extra: [PollInterest] = [],
        untilSent: Bool = false
    ) throws -> [PollInterest.Readiness] {
        var failure: Failure?
        let ready = try io.turn(extra: extra, untilSent: untilSent) { _, event, bytes in
            if case .failed(stream, let reason) = event { failure = reason } else { keep(event, bytes) }
        }
        if let failure { throw failure }
        return ready
    }
}
