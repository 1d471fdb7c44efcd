import PasteboardWire

/// What the driver found out about a descriptor that came with a frame, without touching the file behind it.
package enum ReceivedDescriptor: Sendable, Equatable {
    /// A memory file with all four seals.
    case sealedMemory(byteCount: UInt64)
    /// A regular file, open for reading only.
    case readOnlyFile
    /// Anything else, and what it is.
    case unusable(String)
}

// Bytes that are in a descriptor: it is passed on as it came, or kept, and nobody here reads it.
extension BrokerState {
    /// A frame came with a descriptor: a source's answer that is the whole load, or a client's kept bytes.
    mutating func passed(
        _ descriptor: ReceivedDescriptor,
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        switch header.kind {
        case .answer: try self.passOn(descriptor, stream: header.stream, payload, from: peer)
        case .data: try self.keep(descriptor, stream: header.stream, from: peer)
        default: throw Failure(.protocolViolation, "frames of kind \(header.rawKind) pass no descriptors")
        }
    }

    // MARK: From a source to a destination

    /// Whether a source may answer a load with a descriptor. Those on their way are counted: each is one of the
    /// broker's own until the destination's socket has taken it, and where there are too many, bytes go inline.
    mutating func reservePassing(_ id: RouteID, _ route: Route, from source: PeerID) -> Bool {
        guard route.descriptorWelcome, self.peers[source]?.passesDescriptors == true,
            self.passing.addingClamped(self.unclosedDescriptors) < self.limits.passedDescriptors
        else { return false }
        self.passing += 1
        self.routes.update(id) { $0.mayPass = true }
        return true
    }

    private mutating func passOn(
        _ descriptor: ReceivedDescriptor,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard stream & 1 == 0 else { return try self.checkIsLate(stream, of: peer) }
        guard let route = try self.openAsk(stream, of: peer) else { return }
        let id = RouteID(askStream: stream)
        guard route.mayPass else { throw Failure(.protocolViolation, "a descriptor came that was not welcome") }
        guard route.received == 0, !route.isAnswered else {
            throw Failure(.protocolViolation, "a descriptor comes in place of bytes, not after some")
        }
        do throws(Failure) {
            let answer = try self.answer(of: route, payload)
            var answered = route
            answered.declaredByteCount = try self.byteCount(of: answer, descriptor, route)
            answered.content = answer.content
            let path = route.inPlaceWelcome ? answer.path?.ifUsable : nil
            self.pass(.received, id, answered, path: path, name: answer.suggestedName)
        } catch {
            self.fail(id, error)
        }
    }

    private func answer(of route: Route, _ payload: Span<UInt8>) throws(Failure) -> Answer {
        do throws(Failure) {
            return try Answer(decoding: payload)
        } catch {
            throw Failure(.sourceFailed, "\(self.sourceName(route)) sent a malformed answer: \(error.text)")
        }
    }

    /// Checks what a source passes and says.
    private func byteCount(
        of answer: Answer,
        _ descriptor: ReceivedDescriptor,
        _ route: Route
    ) throws(Failure) -> UInt64 {
        let name = self.sourceName(route)
        guard let byteCount = answer.byteCount else {
            throw Failure(.sourceFailed, "\(name) passed a descriptor without saying how many bytes it has")
        }
        switch descriptor {
        case .unusable(let what):
            throw Failure(.sourceFailed, "\(name) passed \(what); a load takes a file that is open for reading only")
        case .sealedMemory(let size) where size < byteCount:
            throw Failure(.sourceTruncated, "\(name) declared \(byteCount) bytes and passed \(size)")
        case .sealedMemory, .readOnlyFile: break
        }
        if let maximum = route.maximumByteCount, byteCount > maximum {
            throw .tooLarge(byteCount, allowed: maximum)
        }
        return byteCount
    }

    /// Answers a load with its descriptor. It holds its charge until the destination's socket has taken it; kept bytes
    /// also remain a load until then, because they may have to go inline after all.
    ///
    /// The longest type, name and path together are less than a frame with a descriptor takes.
    private mutating func pass(
        _ descriptor: Outbox.Passing.Descriptor,
        _ id: RouteID,
        _ route: Route,
        path: String? = nil,
        name: String? = nil
    ) {
        guard var answer = self.answer(to: route, name: name) else { return }
        answer.path = path
        self.routes.update(id) {
            $0.isAnswered = true
            $0.isPassing = true
        }
        self.outbox.pass(
            answer,
            with: Outbox.Passing(descriptor: descriptor, route: id),
            to: route.destination,
            stream: route.destinationStream
        )
        self.counters.passedDescriptors += 1
        guard case .peer = route.source else { return }
        self.counters.loadsDone += 1
        self.remove(id)
    }

    /// The system would not pass a descriptor on, and its frame has been dropped: kept bytes go inline, a source's file
    /// cannot.
    package mutating func passingRefused(_ id: RouteID) {
        guard var route = self.routes[id], route.isPassing else { return }
        route.isPassing = false
        route.isAnswered = false
        self.routes.update(id) { $0 = route }
        self.counters.passedDescriptors -= 1
        if route.phase != .ended { return self.start(id, route) }
        if case .peer = route.source {
            let text = "the system passes no more descriptors for this user now; the file of this load was one too many"
            let failure = Failure(.limitExceeded, text)
            self.outbox.send(failure, to: route.destination, stream: route.destinationStream)
            if let session = self.publications[route.publication]?.session {
                self.sessionLoadFailed(session, route.part, failure)
            }
            self.counters.loadsDone -= 1
            self.counters.loadsFailed += 1
        }
        self.release(id)
    }

    // MARK: Kept bytes

    /// Whether kept bytes go to this load as their memory: few are there sooner inline, and more may still come.
    func isPassed(_ kept: KeptID, _ route: Route) -> Bool {
        route.descriptorWelcome && self.kept[kept]?.isWhole == true
            && (self.kept[kept]?.count ?? 0) > WireLimits.inlineLength
    }

    mutating func pass(_ kept: KeptID, _ id: RouteID, _ route: Route) {
        self.pass(.kept(kept), id, route)
    }

    private mutating func keep(
        _ descriptor: ReceivedDescriptor,
        stream: UInt64,
        from peer: PeerID
    ) throws(Failure) {
        guard case .write(let id)? = self.peers[peer]?.streams[stream] else {
            return try self.checkIsLate(stream, of: peer)
        }
        do throws(Failure) {
            guard case .sealedMemory(let byteCount) = descriptor else {
                let text = "kept bytes come as a memory file with all four seals"
                guard case .unusable(let what) = descriptor else { throw Failure(.invalidArgument, text) }
                throw Failure(.invalidArgument, "\(text); what came is \(what)")
            }
            let kept = try self.countKept(byteCount, last: true, of: id)
            guard self.kept[kept]?.count == byteCount else {
                throw Failure(.invalidArgument, "a descriptor comes in place of bytes, not after some")
            }
            self.outbox.perform(.adoptKept(kept))
        } catch {
            self.refuse(id, error)
        }
    }
}

extension String {
    /// The path, if it is one that may be passed on. Nothing else depends on it, so a bad one is no error.
    fileprivate var ifUsable: String? {
        self.utf8.first == UInt8(ascii: "/") && self.utf8.count <= WireLimits.path && !self.utf8.contains(0)
            ? self : nil
    }
}
