import PasteboardTransport
package import PasteboardWire

// Writes. Bytes are sent as they are read.
extension BrokerConnection {
    /// Writes items to a board, and returns after the broker has made them visible.
    ///
    /// Throws a `RequestFailure`, or the error of a source. Before the commit is sent, a failure leaves the board
    /// unchanged. If the broker refuses the write, this fails at once, and neither reads nor sends the rest.
    ///
    /// - Parameter answerer: answers the asks for promises.
    package func write(
        _ write: Write,
        _ items: [WriteItem],
        answering answerer: Answerer? = nil
    ) async throws -> Publication {
        try checkBroker()
        let stream = open(sendsNow: false, answering: answerer) { (state) throws(Failure) in try state.open(write) }
        // Secrets are kept in the broker's own memory only.
        return try await publish(items, on: stream, passesMemory: write.terms?.isConcealed != true)
    }

    /// Offers items as a drag session, which can begin afterwards. Otherwise like `write`.
    package func offer(
        _ drag: Drag,
        _ items: [WriteItem],
        answering answerer: Answerer? = nil
    ) async throws -> Publication {
        let stream = open(sendsNow: false, answering: answerer) { (state) throws(Failure) in try state.open(drag) }
        return try await publish(items, on: stream, passesMemory: true)
    }

    private func publish(
        _ items: [WriteItem],
        on stream: consuming BrokerStream,
        passesMemory: Bool
    ) async throws -> Publication {
        for item in items {
            try stream.add(item.message)
            for (_, source) in item.representations { try await stream.send(source, passesMemory: passesMemory) }
        }
        let count = items.count
        stream.tell { $0.commit($1, itemCount: count) }
        return try await stream.published()
    }

    /// Writes items that the broker keeps, so that they stay when this program has ended.
    package func keep(_ items: [WriteItem], as write: Write) async throws -> Committed {
        let publication = try await self.write(write, items)
        let committed = publication.committed
        publication.leave()
        return committed
    }

    /// Throws if the broker was lost since the last request, so that it gets nothing.
    private func checkBroker() throws(RequestFailure) {
        let failure = change { core -> RequestFailure? in
            core.turn(.readable, of: self)
            return (core.io.state.failure ?? core.io.state.farewell).map { failure in
                RequestFailure(failure, core.io.loss(of: failure), at: .nothing)
            }
        }
        if let failure { throw failure }
    }
}

extension BrokerStream {
    /// Returns when the broker has made the write visible, and removes the deadline of the stream.
    package consuming func published() async throws(RequestFailure) -> Publication {
        while true {
            guard case .committed(_, let committed) = try await next(at: .request) else { continue }
            removeDeadline()
            return Publication(self, committed)
        }
    }

    fileprivate func add(_ item: Item) throws(RequestFailure) {
        let failure = connection.core.withLock { [slot] core -> Failure? in
            do throws(Failure) {
                try core.io.state.add(item, to: core.streams.slots[slot].stream)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw RequestFailure(failure, .other, at: .uncommitted) }
    }

    fileprivate mutating func send(_ source: ByteSource, passesMemory: Bool) async throws {
        switch source {
        case .promised: break
        case .bytes(let bytes): try await send(bytes, isLast: true, at: .uncommitted)
        case .memory(let file): try await send(file, passes: passesMemory)
        case .pieces(let descriptor, let next):
            while true {
                // The broker may refuse the write while the descriptor has no bytes.
                while try await self.next(at: .uncommitted, or: [PollInterest(descriptor, .readable)]) != nil {}
                let bytes = try next()
                try await send(bytes, isLast: bytes.isEmpty, at: .uncommitted)
                if bytes.isEmpty { return }
            }
        }
    }

    /// Passes a memory file. Sends the bytes instead if `passes` is false, or the broker or the system does not take
    /// the file.
    private mutating func send(_ file: MemoryFile, passes: Bool) async throws {
        let size = try file.size
        if passes, file.isInDirectory || size > connection.welcome.keptDirectoryRoom ?? 0,
            connection.change({ [slot] in $0.io.passKept(file, on: $0.streams.slots[slot].stream) })
        {
            await sent()
            try check(.uncommitted)
            guard connection.change({ [slot] in $0.io.takeRefusal(of: $0.streams.slots[slot].stream) }) else { return }
        }
        var offset: UInt64 = 0
        repeat {
            let count = Int(clamping: min(size - offset, UInt64(WireLimits.dataLength)))
            let bytes = try System.bytes(of: file.descriptor.raw, from: offset, count: count)
            offset += UInt64(bytes.count)
            // All seals are set, so the file can be shorter only if the caller passed a wrong size.
            guard bytes.count == count else {
                throw Failure(.invalidArgument, "a memory file ends after \(offset) of \(size) bytes")
            }
            try await send(bytes, isLast: offset == size, at: .uncommitted)
        } while offset < size
    }

    /// Sends bytes, as fast as the broker grants credit and the socket takes them.
    ///
    /// - Parameter sendsNow: false if other frames follow at once, usually those of the commit.
    func send(
        _ bytes: [UInt8],
        isLast: Bool,
        at reached: Recovery.Reached,
        sendsNow: Bool = false
    ) async throws(RequestFailure) {
        let bytes: OutgoingBytes = { $0(bytes.span) }
        if await connection.send(bytes, isLast: isLast, at: slot, sendsNow: sendsNow) { return }
        try check(reached)
        throw .cancelled(at: reached)
    }
}

extension BrokerConnection {
    /// Sends bytes on a stream, as fast as the broker grants credit and the socket takes them.
    ///
    /// - Parameters:
    ///   - bytes: calls its argument with the bytes.
    ///   - sent: the number of bytes that were sent before.
    ///   - serial: the number of the use of the slot that is meant; nil: any.
    /// - Returns: false if the stream has ended, its time is over, or the task is cancelled.
    func send(
        _ bytes: @escaping OutgoingBytes,
        from sent: Int = 0,
        isLast: Bool,
        at slot: Int,
        _ serial: UInt64? = nil,
        sendsNow: Bool = true
    ) async -> Bool {
        var sent = sent
        while true {
            let before = sent
            let (after, isOver) = change(sendsNow: sendsNow) { core -> (Int?, Bool) in
                guard core.streams.isOpen(slot, serial) else { return (before, true) }
                var sent = before
                return (core.send(bytes, from: &sent, isLast: isLast, on: slot) ? nil : sent, false)
            }
            guard let after else { return true }
            if isOver || Task.isCancelled { return false }
            sent = after
            await wait(at: slot, serial, for: .room)
        }
    }
}
