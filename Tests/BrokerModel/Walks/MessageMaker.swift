package import PasteboardWire

/// Makes random messages of clients. Fields are often absent, often valid, and sometimes not.
package struct MessageMaker {
    package let input: Choices
    /// Handles that the broker has sent.
    package var handles: [UInt64] = []
    private var moves: UInt64 = 0

    package init(input: Choices) {
        self.input = input
    }

    private static let types = [
        "public.png", "public.utf8-plain-text", "com.example.x", "public.jpeg", "public.image", "public.data",
        "com.example.y", "public.folder", "dyn.ah62d4rv4ge81g25brq", "PUBLIC.PNG", "not a type", "",
        String(repeating: "x", count: WireLimits.typeIdentifier), String(repeating: "x", count: 513),
    ]
    private static let names: [String] = [
        "general", "one", "two", "three", "primary", "", "a\u{1B}[2J\u{202E}", String(repeating: "é", count: 127),
        String(repeating: "n", count: 256), String(repeating: "n", count: 5_000),
    ]

    /// The payload of a message that clients send. Other kinds have an arbitrary payload.
    package mutating func payload(of kind: FrameKind) -> [UInt8] {
        switch kind {
        case .hello: hello().encoded
        case .write: write().encoded
        case .item: item().encoded
        case .commit: commit().encoded
        case .load: load().encoded
        case .list: list().encoded
        case .clear: clear().encoded
        case .drag: drag().encoded
        case .destination: destination(named: destinationName()).encoded
        case .move: (input.choice(8) == 0 ? Move() : move(to: destinationName())).encoded
        case .performed: performed().encoded
        case .conclude: conclude().encoded
        case .watch: watch().encoded
        case .answer: answer().encoded
        case .end: end().encoded
        case .error: failure().encoded
        case .credit: credit().encoded
        case .progress: progress().encoded
        case .exit: exit().encoded
        case .proposal: proposal().encoded
        case .begin, .drop, .cancel, .status, .stop: input.flag() ? [] : input.take(input.choice(16))
        default: input.take(input.choice(64))
        }
    }

    // MARK: Values

    private mutating func optional<Value>(_ value: (inout MessageMaker) -> Value) -> Value? {
        input.flag() ? value(&self) : nil
    }

    private mutating func number() -> UInt64? { optional { $0.input.number() } }
    private mutating func flag() -> Bool? { optional { $0.input.flag() } }
    private mutating func epoch() -> UInt64? { optional { 77 + UInt64($0.input.choice(2)) } }
    package mutating func type() -> String { input.element(of: Self.types) ?? "" }
    package mutating func board() -> String? { optional { $0.name() } }
    private mutating func handle() -> UInt64? { optional { $0.input.element(of: $0.handles) ?? $0.input.number() } }

    private mutating func name() -> String {
        let names = Self.names
        let index = input.choice(names.count + 1)
        return index < names.count ? names[index] : String(decoding: input.take(input.choice(32)), as: UTF8.self)
    }

    /// The name of a destination: few different ones, so that drag sessions find them.
    package mutating func destinationName() -> String {
        input.choice(8) == 0 ? name() : Self.names[1 + input.choice(2)]
    }

    /// An enumeration's number: mostly a known one.
    private mutating func enumeration<Value: WireEnumeration>() -> Value? {
        optional { Value(rawValue: $0.input.flag() ? UInt32($0.input.choice(5)) : $0.input.number32()) }
    }

    private mutating func list<Value>(upTo limit: Int, _ value: (inout MessageMaker) -> Value) -> [Value] {
        (0..<input.count(upTo: limit)).map { _ in value(&self) }
    }

    private mutating func requires() -> [UInt32] {
        input.choice(8) == 0 ? list(upTo: WireLimits.features) { UInt32($0.input.choice(15)) } : []
    }

    package mutating func hello() -> Hello {
        var hello = Hello()
        hello.features = [Feature.descriptors, .dropReports, .onceAndKept].filter { _ in input.flag() }.map(\.rawValue)
        hello.maximumStreams = optional { UInt32($0.input.choice(8)) }
        hello.label = optional { $0.name() }
        hello.role = enumeration()
        if input.choice(4) == 0 { hello.groups = list(upTo: WireLimits.groups) { $0.name() } }
        if input.choice(16) == 0 { (hello.minimumVersion, hello.maximumVersion) = (input.number32(), input.number32()) }
        return hello
    }

    private mutating func write() -> Write {
        var write = Write()
        write.board = board()
        write.ifChangeCount = optional { 5_000 + UInt64($0.input.choice(8)) }
        write.requires = requires()
        if write.requires.contains(Feature.terms.rawValue) { write.terms = terms() }
        if write.requires.contains(Feature.additions.rawValue) { write.handle = handle() }
        if write.requires.contains(Feature.handOver.rawValue) { write.keepsPromises = flag() }
        if write.requires.contains(Feature.eviction.rawValue) { write.evictsNothing = flag() }
        if write.requires.contains(Feature.links.rawValue) { write.origin = origin() }
        guard write.requires.contains(Feature.reclaim.rawValue) else { return write }
        if input.flag() { write.ifChangeCount = nil } else { write.ifEpoch = epoch() }
        write.reclaimsChangeCount = optional { maker in
            maker.input.flag() ? 4_990 + UInt64(maker.input.choice(20)) : maker.input.number()
        }
        write.reclaimsEpoch = epoch()
        return write
    }

    private mutating func terms() -> ContentTerms {
        var terms = ContentTerms()
        let form = input.byte()
        if form & 1 != 0 { terms.isConcealed = true }
        if form & 2 != 0 { terms.isTransient = true }
        if form & 4 != 0 { terms.isAutogenerated = true }
        if form & 8 != 0 { terms.isLocalOnly = true }
        if form & 16 != 0 { terms.expiresMilliseconds = input.number() }
        if form & 32 != 0 { terms.maximumLoads = input.number32() }
        return terms
    }

    package mutating func item() -> Item {
        var item = Item()
        item.suggestedName = optional { $0.name() }
        item.representations = list(upTo: WireLimits.representations) { $0.representation() }
        if input.choice(8) == 0 { item.teamData = input.take(input.choice(64)) }
        if input.choice(8) == 0 { item.title = name() }
        item.requires = input.flag() ? [Feature.onceAndKept.rawValue] : requires()
        return item
    }

    private mutating func representation() -> Representation {
        var representation = Representation()
        representation.type = type()
        let form = input.byte()
        if form & 1 != 0 { representation.visibility = enumeration() }
        if form & 2 != 0 { representation.byteCount = input.number() }
        if form & 4 != 0 { representation.provision = .kept }
        if form & 8 != 0 { representation.policy = .onceAndKept }
        if form & 16 != 0 { representation.firstByteMilliseconds = input.number() }
        if form & 32 != 0 { representation.supertypes = list(upTo: WireLimits.supertypes) { $0.type() } }
        if form & 64 != 0 { representation.fileOptions = .openInPlace }
        if form & 128 != 0 { representation.provision = enumeration() }
        return representation
    }

    private mutating func commit() -> Commit {
        var commit = Commit()
        commit.itemCount = optional { $0.input.number32() }
        return commit
    }

    private mutating func load() -> Load {
        var load = Load()
        load.handle = handle()
        load.board = load.handle == nil ? board() : nil
        load.item = optional { UInt32($0.input.choice(4)) }
        load.accepts = list(upTo: WireLimits.accepts) { maker in
            let accept = Accept(maker.type(), match: maker.enumeration())
            return accept
        }
        load.credit = number()
        let form = input.byte()
        if form & 1 != 0 { load.descriptorWelcome = true }
        if form & 2 != 0 { load.inPlaceWelcome = true }
        if form & 4 != 0 { load.timeoutMilliseconds = input.number() }
        if form & 8 != 0 { load.maximumByteCount = input.number() }
        if form & 16 != 0 { load.preference = enumeration() }
        if form & 32 != 0 { load.ifChangeCount = 5_000 + UInt64(input.choice(8)) }
        if form & 128 != 0 { load.requires = requires() }
        return load
    }

    private mutating func list() -> List {
        var list = List()
        list.board = board()
        list.requires = requires()
        return list
    }

    private mutating func clear() -> Clear {
        var clear = Clear()
        clear.board = board()
        clear.ifChangeCount = optional { 5_000 + UInt64($0.input.choice(8)) }
        clear.requires = requires()
        if clear.requires.contains(Feature.reclaim.rawValue) { clear.ifEpoch = epoch() }
        if clear.requires.contains(Feature.links.rawValue) { clear.origin = origin() }
        return clear
    }

    private mutating func origin() -> Origin? {
        optional { maker in
            var origin = Origin()
            origin.path = maker.list(upTo: WireLimits.originPath) { 70 + UInt64($0.input.choice(12)) }
            origin.milliseconds = maker.optional { 1_000 + UInt64($0.input.choice(4_000)) }
            return origin
        }
    }

    private mutating func answer() -> Answer {
        var answer = Answer()
        answer.byteCount = number()
        answer.content = enumeration()
        answer.suggestedName = optional { $0.name() }
        answer.path = optional { "/" + $0.name() }
        return answer
    }

    private mutating func end() -> End {
        var end = End()
        end.byteCount = number()
        end.reason = optional { EndReason(rawValue: $0.input.number32()) }
        return end
    }

    private mutating func failure() -> Failure {
        Failure(ErrorCode(rawValue: UInt32(input.choice(26))), name())
    }

    private mutating func credit() -> Credit {
        var credit = Credit()
        credit.offset = number()
        return credit
    }

    private mutating func progress() -> Progress {
        var progress = Progress()
        (progress.completed, progress.total) = (number(), number())
        return progress
    }

    // MARK: Drag sessions

    private mutating func drag() -> Drag {
        var drag = Drag()
        drag.allowsMove = flag()
        drag.isRestricted = flag()
        drag.movesBetweenProcesses = flag()
        if input.choice(4) == 0 { drag.handle = handle() }
        drag.requires = requires()
        return drag
    }

    package mutating func destination(named name: String) -> Destination {
        var destination = Destination()
        destination.name = name
        destination.accepts = list(upTo: WireLimits.accepts) { maker in
            let accept = Accept(maker.type(), match: maker.enumeration())
            return accept
        }
        destination.isOwnProcess = flag()
        destination.allowsSimultaneousSessions = flag()
        return destination
    }

    private mutating func location(at name: String) -> Location {
        var location = Location()
        location.destination = name
        if input.choice(4) == 0 { location.indexPath = list(upTo: WireLimits.indexPath) { $0.input.number32() } }
        (location.x, location.y) = (number().map(Int64.init(bitPattern:)), number().map(Int64.init(bitPattern:)))
        return location
    }

    package mutating func move(to name: String) -> Move {
        var move = Move()
        move.location = location(at: name)
        // The numbers of a session's moves increase.
        moves += 1
        move.sequence = input.choice(8) == 0 ? number() : moves
        return move
    }

    private mutating func exit() -> Exit {
        var exit = Exit()
        exit.refusal = optional { $0.failure() }
        return exit
    }

    private mutating func proposal() -> Proposal {
        var proposal = Proposal()
        proposal.sequence = number()
        proposal.operation = optional { DropOperation(rawValue: UInt32($0.input.choice(5))) }
        proposal.cannotHandle = flag()
        proposal.refusal = input.choice(8) == 0 ? failure() : nil
        return proposal
    }

    private mutating func performed() -> Performed {
        var performed = Performed()
        performed.items = list(upTo: 4) { UInt32($0.input.choice(4)) }
        performed.failure = input.choice(8) == 0 ? failure() : nil
        return performed
    }

    private mutating func conclude() -> Conclude {
        var conclude = Conclude()
        conclude.items = list(upTo: 4) { UInt32($0.input.choice(4)) }
        conclude.failure = input.choice(8) == 0 ? failure() : nil
        return conclude
    }

    package mutating func removal() -> Clear {
        var clear = clear()
        clear.removesBoard = true
        clear.ifEpoch = nil
        clear.requires = [Feature.condition.rawValue, Feature.boards.rawValue]
        return clear
    }

    package mutating func watch() -> Watch {
        var watch = Watch()
        watch.board = board()
        watch.sinceChangeCount = optional { 5_000 + UInt64($0.input.choice(8)) }
        watch.sinceEpoch = epoch()
        watch.credit = number()
        watch.requires = requires()
        if watch.requires.contains(Feature.allBoards.rawValue) { (watch.allBoards, watch.board) = (flag(), nil) }
        return watch
    }
}
