import PasteboardWire

// Loads: choosing what is given, asking its source, and every way in which a load ends.
extension BrokerState {
    mutating func beginLoad(_ load: Load, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(load.requires)
        // Single fields, here and below: a whole peer or publication is a copy of several arrays and strings.
        guard let openLoads = self.peers[peer]?.openLoads, let account = self.peers[peer]?.account,
            let place = self.peers[peer]?.loads.count
        else { return }
        guard UInt64(openLoads) < self.limits.loadsPerConnection else {
            throw Failure(
                .limitExceeded,
                "the connection has \(openLoads) loads open; limit loads-per-connection is "
                    + "\(self.limits.loadsPerConnection)"
            )
        }
        let id = try self.publication(of: load, for: peer)
        guard let items = self.publications[id]?.items else { return }
        let owner = self.publications[id]?.owner
        // Mostly everything is for everybody, and it makes no difference who asks.
        let viewer = self.publications[id]?.isRestricted == true ? self.peers[peer]?.viewer : nil
        let index = try self.place(of: load.item ?? 0, in: id, for: viewer)
        let choice = try self.choose(load, among: items[Int(index)].representations, of: id, for: viewer)
        let representation = items[Int(index)].representations[choice]
        let keptSize = (representation.kept ?? representation.filling).flatMap { self.kept[$0]?.size }
        let size = keptSize ?? representation.byteCount
        if let size, let maximum = load.maximumByteCount, size > maximum {
            throw Failure(.tooLarge, "\(representation.type) has \(size) bytes; this load allows \(maximum)")
        }
        try self.checkRoomForFill(representation, of: id)
        let charge = try self.accounting.charge(
            account,
            Accounting.Amount(objects: 1),
            for: "a load"
        )
        var source = Route.Source.kept(representation.kept ?? KeptID(rawValue: 0))
        if representation.kept == nil, let owner {
            source =
                representation.isKeptOnce
                ? .kept(self.fill((id, index, choice), representation, from: owner, for: account)) : .peer(owner.peer)
        }
        let route = Route(
            destination: peer,
            destinationStream: stream,
            source: source,
            publication: id,
            item: index,
            representation: UInt32(clamping: choice),
            charge: charge,
            place: place,
            startedAt: self.now,
            endsBy: load.timeoutMilliseconds.map { timeout in
                let longest = self.limits.longestLoad
                return self.now.addingClamped(timeout == 0 ? longest : min(timeout, longest))
            },
            maximumByteCount: load.maximumByteCount,
            firstByte: representation.firstByte(unlessSaid: self.limits.firstByte),
            descriptorWelcome: load.descriptorWelcome == true && self.peers[peer]?.passesDescriptors == true,
            inPlaceWelcome: load.inPlaceWelcome == true && representation.isOpenInPlace && !self.isMove(of: id)
                && self.peers[peer]?.viewer.isLink == false && self.publications[id]?.writer.isLink == false,
            // What is still to be kept may turn out to be of another size.
            declaredByteCount: representation.isKeptOnce && representation.kept == nil ? nil : size,
            credit: load.credit ?? 0
        )
        let routeID = self.routes.insert(route)
        var session: SessionID?
        self.publications.update(id) {
            $0.openLoads += 1
            session = $0.session
        }
        if let session { self.sessionLoadBegan(session, route.part) }
        self.peers.update(peer) {
            $0.loads.append(routeID)
            $0.openLoads += 1
        }
        self.counters.loads += 1
        if let endsBy = route.endsBy { self.check(by: endsBy) }
        switch source {
        case .kept(let kept):
            guard !self.isPassed(kept, route) else { return self.pass(kept, routeID, route) }
            self.start(routeID, route)
            self.join(kept, routeID)
        case .peer(let source): self.enqueue(routeID, route, at: source)
        }
    }

    /// Which item a viewer means who counts those that he sees; nil sees all.
    private func place(of index: UInt32, in id: PublicationID, for viewer: Viewer?) throws(Failure) -> UInt32 {
        var count = self.publications[id]?.items.count ?? 0
        if let viewer {
            let places = self.publications[id]?.places(for: viewer) ?? []
            if Int(index) < places.count { return UInt32(clamping: places[Int(index)]) }
            count = places.count
            if count == 0 {
                throw Failure(.nothingHere, "\(self.publications[id]?.place ?? "") is empty")
            }
        }
        guard Int(index) < count else {
            throw Failure(
                .nothingHere,
                "there is no item \(UInt64(index) + 1); \(self.publications[id]?.place ?? "") has \(count)"
            )
        }
        return index
    }

    /// What a load names: a publication by its handle, or what a board holds now.
    private func publication(of load: Load, for peer: PeerID) throws(Failure) -> PublicationID {
        if let handle = load.handle {
            let id = PublicationID(rawValue: handle)
            guard self.publications[id]?.isCurrent == true else {
                throw Self.noContents
            }
            if let session = self.publications[id]?.session {
                try self.checkWindow(of: session, for: peer)
            } else if load.ifChangeCount != nil, let name = self.publications[id]?.boardName {
                try self.checkCondition(load.ifChangeCount, board: name)
            }
            return id
        }
        let name = load.board ?? BoardName.general
        try BoardName.check(name)
        try self.checkCondition(load.ifChangeCount, board: name)
        guard let id = self.boards[name]?.publication else {
            throw Failure(.nothingHere, "pasteboard \(name) is empty")
        }
        return id
    }

    /// Which representation is given: the one judge of conformance over the publisher's closure, the destination's
    /// edges and the table. What a dead source promised is chosen last, so that kept bytes beside it still serve.
    ///
    /// - Parameter viewer: nil sees all.
    private func choose(
        _ load: Load,
        among representations: [StoredRepresentation],
        of id: PublicationID,
        for viewer: Viewer?
    ) throws(Failure) -> Int {
        let list = try AcceptList(load.accepts, preference: load.preference, edges: load.edges)
        let hasSource = self.publications[id]?.owner != nil
        let writer = viewer == nil ? nil : self.publications[id]?.writer
        func isSeen(_ representation: StoredRepresentation) -> Bool {
            guard let viewer, let writer else { return true }
            return viewer.sees(representation.visibility, of: writer)
        }
        if let choice = list.choose(among: representations, where: { (hasSource || $0.kept != nil) && isSeen($0) }) {
            return choice
        }
        if list.choose(among: representations, where: isSeen) != nil {
            let name = self.publications[id]?.ownerName ?? ""
            throw Failure(.sourceGone, "source \(name) has ended; what it promised cannot be loaded any more")
        }
        // Any would have done.
        let takesAny = load.accepts.contains { $0.match == .any }
        let wanted = takesAny ? "" : load.accepts.map(\.type).joined(separator: ", ").printable
        let visible = representations.filter(isSeen)
        throw Failure(
            .typeUnavailable,
            "no representation is \(wanted.isEmpty ? "visible" : "of type \(wanted)")",
            detail: visible.map(\.type).joined(separator: "\n")
        )
    }

    static var noContents: Failure {
        Failure(
            .superseded,
            "these contents are not there any more: they were replaced or cleared, or their drag session is over"
        )
    }

    // MARK: Asking

    mutating func enqueue(_ id: RouteID, _ route: Route, at source: PeerID) {
        if self.peers[source]?.mayBeAsked == true { return self.start(id, route) }
        guard let peer = self.peers[source] else { return }
        let account = route.charge.account
        if UInt64(peer.waitingAsks.count) >= self.limits.waitingPerSource {
            let text = "\(peer.waitingAsks.count) loads wait for source \(peer.name) already; limit waiting-per-source"
            let displaced = peer.waitingAsks.displaced(by: account)
            self.fail(displaced ?? id, Failure(.limitExceeded, text))
            guard displaced != nil else { return }
        }
        self.peers.update(source) { [now = self.now] in $0.waitingAsks.append(id, of: account, at: now) }
        // Loads that are in its way have a deadline from now on.
        self.check(by: self.now.addingClamped(min(route.firstByte, self.limits.progress)))
    }

    mutating func start(_ id: RouteID, _ route: Route) {
        let window = Window.allowed(route.window, poolFree: self.transferFree)
        let granted = min(route.allowed, window)
        self.occupy(granted)
        self.routes.update(id) { [now = self.now] route in
            route.granted = granted
            route.phase = .asked
            route.askedAt = now
            route.activeAt = now
            route.byteAt = now
        }
        guard case .peer(let source) = route.source, let items = self.publications[route.publication]?.items else {
            self.readyKept.append(id)
            return
        }
        self.peers.update(source) { $0.openAsks += 1 }
        let mayPass = self.reservePassing(id, route, from: source)
        self.check(by: self.now.addingClamped(min(route.firstByte, self.limits.progress)))
        var ask = Ask()
        ask.handle = route.publication.rawValue
        ask.item = route.item
        ask.representation = route.representation
        ask.type = items[Int(route.item)].representations[Int(route.representation)].type
        ask.credit = granted
        ask.maximumByteCount = route.maximumByteCount
        if mayPass { ask.descriptorWelcome = true }
        if mayPass, route.inPlaceWelcome { ask.inPlaceWelcome = true }
        ask.firstByteMilliseconds = route.endsBy.map { $0 - min($0, self.now) } ?? route.firstByte
        self.outbox.send(ask, to: source, stream: id.askStream)
    }

    // MARK: What the source says

    /// The load that a peer was asked for with a stream; nil if it is over, so that what comes is merely late.
    func openAsk(_ stream: UInt64, of peer: PeerID) throws(Failure) -> Route? {
        guard let route = self.routes[RouteID(askStream: stream)], route.phase != .ended else {
            try self.checkIsLateAsk(stream)
            return nil
        }
        guard case .peer(peer) = route.source, route.phase != .waiting else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        return route
    }

    /// A frame other than data on one of the broker's own streams.
    mutating func fromSource(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        if stream == 0, kind == .error { return self.close(peer) }
        guard stream & 1 == 0 else { return try self.checkIsLate(stream, of: peer) }
        guard let route = try self.openAsk(stream, of: peer) else { return }
        let id = RouteID(askStream: stream)
        do throws(Failure) {
            try self.fromSource(kind, of: id, route, payload)
        } catch {
            guard error.code != .protocolViolation else { throw error }
            let text = "\(self.sourceName(route)) sent a malformed \(kind): \(error.text)"
            self.fail(id, Failure(.sourceFailed, text), tellSource: kind == .answer || kind == .progress)
        }
    }

    private mutating func fromSource(
        _ kind: FrameKind,
        of id: RouteID,
        _ route: Route,
        _ payload: Span<UInt8>
    ) throws(Failure) {
        switch kind {
        case .answer:
            let answer = try Answer(decoding: payload)
            try self.sourceAnswered(id, route, answer)
        case .progress:
            let progress = try Progress(decoding: payload)
            self.routes.update(id) { [now = self.now] in $0.activeAt = now }
            self.forward(progress, to: id, route)
        case .end:
            let end = try End(decoding: payload)
            self.sourceEnded(id, route, declared: end.byteCount ?? route.received)
        default:
            var failure = try Failure(decoding: payload)
            failure.text = "\(self.sourceName(route)) failed: \(failure.text.printable)"
            if failure.code != .tooLarge { failure.code = .sourceFailed }
            self.fail(id, failure)
        }
    }

    mutating func forward(_ progress: Progress, to id: RouteID, _ route: Route) {
        guard route.progressCount < route.progressAllowed(at: self.now) else { return }
        self.routes.update(id) { $0.progressCount += 1 }
        if let kept = route.filling { return self.fillProgressed(kept, progress) }
        self.outbox.send(progress, to: route.destination, stream: route.destinationStream, order: route.order)
    }

    private mutating func sourceAnswered(_ id: RouteID, _ route: Route, _ answer: Answer) throws(Failure) {
        guard answer.byteCount != nil || answer.content != nil || answer.suggestedName != nil else { return }
        guard route.received == 0, !route.isAnswered else {
            throw Failure(.protocolViolation, "an answer comes before the bytes")
        }
        if let byteCount = answer.byteCount, let maximum = route.maximumByteCount, byteCount > maximum {
            return self.fail(id, .tooLarge(byteCount, allowed: maximum), tellSource: true)
        }
        self.routes.update(id) {
            $0.declaredByteCount = answer.byteCount ?? $0.declaredByteCount
            $0.content = answer.content ?? $0.content
        }
        if let kept = route.filling { return self.fillAnswered(kept, id, answer) }
        // Told at once, so that a load does not have to remember it.
        if let name = answer.suggestedName, let route = self.routes[id] { self.answerIfNeeded(id, route, name: name) }
    }

    private mutating func sourceEnded(_ id: RouteID, _ route: Route, declared: UInt64) {
        let wanted = route.declaredByteCount.map { max($0, declared) } ?? declared
        guard route.received == wanted, route.received == declared else {
            let failure =
                route.received < wanted
                ? self.truncated(route, received: route.received, declared: wanted)
                : Failure(
                    .sourceFailed,
                    "\(self.sourceName(route)) counted \(declared) bytes but sent \(route.received)"
                )
            return self.fail(id, failure)
        }
        if let kept = route.filling { return self.completeFill(kept) }
        self.answerIfNeeded(id, route)
        var end = End()
        end.byteCount = route.received
        self.outbox.send(end, to: route.destination, stream: route.destinationStream, order: route.order)
        self.counters.loadsDone += 1
        self.remove(id, route)
    }

    // MARK: What the destination says

    mutating func credit(stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard let id = self.load(on: stream, of: peer) else {
            return try self.checkIsLate(stream, of: peer)
        }
        do throws(Failure) {
            let offset = try Credit(decoding: payload).offset ?? 0
            guard let route = self.routes[id], offset > route.credit else { return }
            self.routes.update(id) { $0.credit = offset }
            self.grant(id)
        } catch {
            self.fail(id, error, tellSource: true)
        }
    }

    mutating func cancel(stream: UInt64, from peer: PeerID) throws(Failure) {
        if let id = self.load(on: stream, of: peer) {
            self.tellSourceCancelled(id)
            self.counters.loadsFailed += 1
            return self.remove(id, Failure(.cancelled, "the destination cancelled its load"))
        }
        if DestinationSessionID(stream: stream) != nil {
            return try self.cancelDestinationSession(stream: stream, of: peer)
        }
        guard let open = self.peers[peer]?.streams[stream] else {
            return try self.checkIsLate(stream, of: peer)
        }
        switch open {
        case .write(let id):
            self.discard(id)
        case .publication(let id):
            self.peers.update(peer) { $0.streams[stream] = nil }
            self.ownerLeft(id)
        case .drag(let id):
            self.sourceLeft(id)
        case .destination(let id):
            self.destinationLeft(id)
        case .wait(let id):
            self.waitLeft(id)
        }
    }

    /// The load that a peer opened with a stream and that is not over.
    func load(on stream: UInt64, of peer: PeerID) -> RouteID? {
        guard stream & 1 == 1, let loads = self.peers[peer]?.loads else { return nil }
        return loads.first { self.routes[$0]?.destinationStream == stream }
    }

    // MARK: Ends

    /// Ends a load with an error; the source is told only where it is not the one that ended it. A load whose descriptor
    /// is in the queue of its destination has its end already.
    mutating func fail(_ id: RouteID, _ failure: Failure, tellSource: Bool = false) {
        guard let route = self.routes[id], route.phase != .ended, !route.isPassing else { return }
        if tellSource { self.tellSourceCancelled(id) }
        if let kept = route.filling { return self.failFill(kept, failure) }
        self.outbox.send(failure, to: route.destination, stream: route.destinationStream, order: route.order)
        self.counters.loadsFailed += 1
        self.remove(id, failure)
    }

    /// Ends several loads with an error. Those that wait go first, or the end of one would start the next.
    mutating func failAll(_ failure: Failure, where isMeant: (Route) -> Bool) {
        let meant = self.routes.ids.filter { self.routes[$0].map(isMeant) ?? false }
        for id in meant where self.routes[id]?.phase == .waiting { self.fail(id, failure) }
        for id in meant { self.fail(id, failure, tellSource: true) }
    }

    mutating func tellSourceCancelled(_ id: RouteID) {
        guard let route = self.routes[id], case .peer(let source) = route.source else { return }
        guard route.phase == .asked || route.phase == .flowing else { return }
        self.outbox.send(Cancel(), to: source, stream: id.askStream)
    }

    /// Ends a load for both sides and lets the next one have its place at the source. What it holds is given back as
    /// soon as the destination's socket has taken the bytes that came: who does not read what was loaded has no room
    /// for more.
    ///
    /// - Parameter failure: nil if all its bytes are there.
    mutating func remove(_ id: RouteID, _ failure: Failure? = nil) {
        guard let route = self.routes[id] else { return }
        self.remove(id, route, failure)
    }

    /// As above; `route` is the load as it is now.
    mutating func remove(_ id: RouteID, _ route: Route, _ failure: Failure? = nil) {
        guard route.phase != .ended else { return }
        self.inTransfer -= min(self.inTransfer, route.granted - min(route.granted, route.received))
        self.routes.update(id) { [now = self.now] in
            $0.granted = route.received
            $0.phase = .ended
            $0.takenAt = now
        }
        self.forget(route)
        switch route.source {
        case .peer(let source) where route.phase == .waiting:
            self.peers.update(source) { $0.waitingAsks.remove(id, of: route.charge.account) }
        case .peer(let source):
            self.peers.update(source) { [now = self.now] in
                $0.openAsks -= 1
                $0.servedAt = now
            }
            self.askNext(of: source)
        case .kept(let kept):
            self.leaveFill(kept)
        }
        var session: SessionID?
        self.publications.update(route.publication) {
            $0.openLoads -= 1
            session = $0.session
        }
        if let session, route.filling == nil { self.sessionLoadEnded(session, route.part, failure) }
        self.removeIfUnused(route.publication)
        if route.received == route.delivered, !route.isPassing { self.release(id) }
    }

    /// Takes a load out of its destination's list. The last one moves into its place.
    private mutating func forget(_ route: Route) {
        var moved: RouteID?
        self.peers.update(route.destination) { peer in
            guard let last = peer.loads.popLast(), route.place < peer.loads.count else { return }
            peer.loads[route.place] = last
            moved = last
        }
        if let moved { self.routes.update(moved) { $0.place = route.place } }
    }

    /// Gives back what a load that has ended still held.
    mutating func release(_ id: RouteID) {
        guard let route = self.routes[id] else { return }
        self.routes.remove(id)
        if route.mayPass { self.passing -= 1 }
        self.inTransfer -= min(self.inTransfer, route.outstanding)
        self.accounting.release(route.charge)
        self.peers.update(route.destination) { $0.openLoads -= 1 }
    }

    private mutating func askNext(of source: PeerID) {
        while self.peers[source]?.mayBeAsked == true, self.peers[source]?.waitingAsks.isEmpty == false {
            var next: RouteID?
            self.peers.update(source) { next = $0.waitingAsks.popFirst() }
            if let next, let route = self.routes[next] { self.start(next, route) }
        }
    }

    /// A peer has gone: loads that it asked for are nobody's, loads that it was to give end with an error.
    mutating func endRoutes(of gone: PeerID, name: String) {
        self.peers.update(gone) { $0.maximumAsks = 0 }
        for id in self.routes.ids {
            guard let route = self.routes[id] else { continue }
            if route.destination == gone {
                self.tellSourceCancelled(id)
                if route.phase != .ended { self.counters.loadsFailed += 1 }
                self.remove(id, Failure(.destinationGone, "the destination has gone"))
                self.release(id)
            } else if case .peer(gone) = route.source {
                self.fail(id, self.sourceDied(route, name: name))
            }
        }
    }

    private func sourceDied(_ route: Route, name: String) -> Failure {
        if let declared = route.declaredByteCount, declared == route.received, declared > 0 {
            return Failure(
                .sourceTruncated,
                "source \(name) went away after \(declared) bytes, without saying that they are all"
            )
        }
        let progress = route.received == 0 ? "before it gave a byte" : "after \(route.received) bytes"
        return Failure(.sourceGone, "source \(name) went away \(progress)")
    }

    func sourceName(_ route: Route) -> String {
        guard case .peer(let source) = route.source, let peer = self.peers[source] else { return "the broker" }
        return "source \(peer.name)"
    }
}
