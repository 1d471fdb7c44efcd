import BrokerState
import PasteboardWire

/// Clients that write, clear and load while their broker is killed again and again, and what each board may have.
///
/// Between two settlements, the clients have read no answer, and the service manager may have taken only the first of
/// the changes. So after a restart a board has what was acknowledged last, or one of the contents since then.
struct RestartWalk: WalkPart {
    private struct Client {
        let process: UInt32
        /// nil while it is not connected.
        var peer: PeerID?
        /// The contents that it believes to be on boards, and reclaims when it connects again.
        var claims: [String: WalkedContents] = [:]
    }

    private struct Board {
        /// The contents since the last settlement; nil if there were none.
        var states: [WalkedContents?] = [nil]
        /// Whether it was written or cleared at this broker, so that nothing from an earlier one may come back.
        var isChanged = false

        var now: WalkedContents? { states.last ?? nil }

        mutating func confirm() { states = [now] }
    }

    private static let names = ["general", "one", "two", "three"]
    private static let types = ["a", "b", "c"]
    private static let reader: UInt32 = 90

    private(set) var broker: StateHarness
    private let choices: Choices
    private var clients = (1...4).map { Client(process: $0) }
    private var reader: PeerID
    private var boards = Dictionary(uniqueKeysWithValues: names.map { ($0, Board()) })
    /// The rules that answers have broken.
    private var noted: [String] = []
    /// The contents that were restored, those that came back with their writer, and the changes that a death prevented.
    private(set) var restored = 0
    private(set) var reclaimed = 0
    private(set) var prevented = 0

    init(_ broker: StateHarness, _ choices: Choices) {
        self.broker = broker
        self.choices = choices
        broker.setSaving(true)
        reader = Self.connectReader(to: broker)
    }

    /// Connects the reader, which watches all boards, so that the invariants of watches hold for contents that come
    /// back.
    private static func connectReader(to broker: StateHarness) -> PeerID {
        let reader = broker.connect(process: reader)
        for name in names { _ = broker.watch(name, from: reader) }
        _ = broker.watchAll(from: reader)
        return reader
    }

    // MARK: One step

    /// Performs one random action, and returns its name.
    mutating func step() -> String {
        if chance(5) { return restart() }
        let action = act()
        if chance(40) {
            settle()
            verify(board())
        }
        return action
    }

    private mutating func act() -> String {
        let number = choices.number(in: clients.indices)
        let name = board()
        guard let peer = clients[number].peer else { return connect(number) }
        switch choices.number(in: 0..<100) {
        case 0..<40: return write(name, by: number, peer)
        case 40..<55: return handOver(name)
        case 55..<75: return load(name)
        case 75..<85: return clear(name, by: peer)
        case 85..<93:
            broker.advance(by: choices.number(in: 0...2_000))
            // An input, so that the contents whose time is over are cleared.
            _ = broker.list(from: reader)
            expire()
            return "advance"
        default:
            settle()
            broker.disconnect(peer)
            disconnect(number)
            return "disconnect"
        }
    }

    /// Lets the service manager take all changes, and the clients read all answers.
    private mutating func settle() {
        broker.savedEarlier = []
        for name in Self.names { boards[name]?.confirm() }
        for number in clients.indices where clients[number].peer != nil {
            clients[number].claims = [:]
            for (name, board) in boards {
                if let now = board.now, now.writer == number, now.hasSource { clients[number].claims[name] = now }
            }
        }
    }

    private mutating func disconnect(_ number: Int) {
        clients[number].peer = nil
        for name in Self.names {
            guard var now = boards[name]?.now, now.writer == number else { continue }
            now.hasSource = false
            boards[name]?.states = [now]
        }
    }

    private mutating func set(_ name: String, to contents: WalkedContents?) {
        boards[name]?.states.append(contents)
    }

    private mutating func expire() {
        for name in Self.names {
            guard let end = boards[name]?.now?.expiresAt, end <= broker.now else { continue }
            set(name, to: nil)
            boards[name]?.isChanged = true
        }
    }

    // MARK: Requests

    private mutating func write(_ name: String, by number: Int, _ peer: PeerID) -> String {
        var contents = WalkedContents(items: items(), terms: terms(), writer: number)
        contents.expiresAt = contents.terms?.expiresMilliseconds.map { broker.now + $0 }
        let stream = broker.write(
            contents.messages,
            kept: contents.bytes,
            board: name,
            terms: contents.terms,
            from: peer
        )
        record(contents, on: name, from: broker.take(peer).on(stream))
        boards[name]?.isChanged = true
        return "write \(name)"
    }

    /// Records what a write was answered.
    private mutating func record(_ contents: WalkedContents, on name: String, from frames: [Frame]) {
        guard let committed = frames.first(Committed.self) else {
            return noted.append("a write was answered with \(frames)")
        }
        var contents = contents
        contents.changeCount = committed.changeCount ?? 0
        contents.epoch = committed.epoch ?? 0
        contents.handle = committed.handle ?? 0
        set(name, to: contents)
    }

    /// Adds bytes for promises, and sometimes an item.
    private mutating func handOver(_ name: String) -> String {
        guard var contents = boards[name]?.now, contents.hasSource, !contents.isConcealed,
            let peer = clients[contents.writer].peer
        else {
            return "nothing"
        }
        var added = WalkedContents(items: [], writer: contents.writer)
        for index in contents.items.indices {
            let part = choices.number(in: contents.items[index].indices)
            let bytes = bytes()
            added.items.append([WalkedContents.Part(type: contents.items[index][part].type, bytes: bytes)])
            if contents.items[index][part].bytes == nil { contents.items[index][part].bytes = bytes }
        }
        if contents.items.count < 3, chance(30) {
            added.items.append([WalkedContents.Part(type: "d", bytes: bytes())])
            contents.items += added.items.suffix(1)
        }
        let stream = broker.write(
            added.messages,
            kept: added.bytes,
            adding: contents.handle,
            keepsPromises: true,
            from: peer
        )
        record(contents, on: name, from: broker.take(peer).on(stream))
        return "hand over \(name)"
    }

    /// Loads a promise, whose bytes the broker keeps if its writer wishes it.
    private mutating func load(_ name: String) -> String {
        guard var contents = boards[name]?.now, contents.hasSource, !contents.isLimited, !contents.isConcealed,
            let peer = clients[contents.writer].peer
        else { return "nothing" }
        let item = choices.number(in: contents.items.indices)
        guard let part = contents.items[item].firstIndex(where: { $0.bytes == nil }) else { return "nothing" }
        _ = broker.take(peer)
        let load = broker.load(from: reader) {
            $0.board = name
            $0.item = UInt32(item)
            $0.accepts = [Accept(contents.items[item][part].type)]
        }
        let bytes = bytes()
        for ask in broker.takeAsks(peer) { broker.data(bytes, last: true, on: ask, from: peer) }
        if broker.take(reader).on(load).bytes != bytes { noted.append("a load got other bytes") }
        guard contents.items[item][part].isKeptOnce else { return "load \(name)" }
        contents.items[item][part].bytes = bytes
        set(name, to: contents)
        return "load and keep \(name)"
    }

    private mutating func clear(_ name: String, by peer: PeerID) -> String {
        broker.clear(name, from: peer)
        if boards[name]?.now != nil || name == BoardName.general { boards[name]?.isChanged = true }
        set(name, to: nil)
        return "clear \(name)"
    }

    // MARK: Restarts

    /// Replaces the broker: it dies, or lets its successor take over.
    private mutating func restart() -> String {
        let isTakeover = chance(20)
        if isTakeover {
            settle()
            broker.beginTakeover()
        } else {
            let saved = broker.savedEarlier + [broker.saved]
            let index = choices.number(in: saved.indices)
            prevented += saved.count - 1 - index
            broker.saved = saved[index]
        }
        var failures: [Failure] = []
        broker = broker.successor(later: choices.number(in: 0...1_000), failures: &failures)
        // Their time is over, or a newer description was restored.
        let others = failures.filter { $0.code != .nothingHere && $0.code != .superseded }
        if !others.isEmpty { noted.append("contents were not restored: \(others)") }
        for number in clients.indices { clients[number].peer = nil }
        reader = Self.connectReader(to: broker)
        for name in Self.names { restore(name) }
        return isTakeover ? "takeover by a successor" : "kill"
    }

    /// Finds which of the possible contents a board has after a restart.
    private mutating func restore(_ name: String) {
        let shown = ShownContents(of: name, at: broker, to: reader)
        let possible = (boards[name]?.states ?? []).map { $0?.restored(at: broker.now) }
        guard let found = possible.last(where: { $0?.shown == shown }) else {
            return noted.append("\(name) has \(shown.text) instead of one of \(possible.map { ($0?.shown).text })")
        }
        boards[name] = Board(states: [found])
        if found != nil { restored += 1 }
    }

    private mutating func connect(_ number: Int) -> String {
        let peer = broker.connect("client", process: clients[number].process)
        clients[number].peer = peer
        for (name, claim) in clients[number].claims.sorted(by: { $0.key < $1.key }) where chance(80) {
            guard claim.expiresAt.map({ $0 > broker.now }) ?? true else { continue }
            reclaim(claim, on: name, from: peer)
        }
        clients[number].claims = [:]
        return "connect \(number)"
    }

    /// Writes contents again under their change count: with promises, or with bytes in place of some.
    private mutating func reclaim(_ claim: WalkedContents, on name: String, from peer: PeerID) {
        let now = boards[name]?.now
        var contents = claim
        let percent = choices.element(of: [0, 0, 50, 100]) ?? 0
        for item in contents.items.indices {
            for part in contents.items[item].indices {
                contents.items[item][part].bytes = chance(percent) ? bytes() : nil
            }
        }
        let stream = broker.begin(
            board: name,
            terms: claim.remainingTerms(at: broker.now),
            reclaiming: claim.changeCount,
            of: claim.epoch,
            from: peer
        )
        var frames = broker.take(peer).on(stream)
        if frames.isEmpty {
            var kept = contents.bytes[...]
            for item in contents.messages {
                broker.send(item, on: stream, from: peer)
                for representation in item.representations where representation.provision == .kept {
                    broker.data(kept.popFirst() ?? [], last: true, on: stream, from: peer)
                }
            }
            broker.commit(contents.items.count, on: stream, from: peer)
            frames = broker.take(peer).on(stream)
        }
        guard mayComeBack(claim, on: name) else {
            guard frames.codes != [.superseded] else { return }
            return noted.append("\(name): an overtaken reclaim was answered with \(frames)")
        }
        if let now, now.isCounted(as: claim), let merged = now.merged(with: contents) { contents = merged }
        contents.hasSource = true
        record(contents, on: name, from: frames)
        reclaimed += 1
        guard boards[name]?.now?.isCounted(as: claim) != true else { return }
        noted.append("\(name) was reclaimed under another count")
    }

    /// Whether a board has the contents, or nothing that is newer.
    private func mayComeBack(_ claim: WalkedContents, on name: String) -> Bool {
        guard let board = boards[name], let now = board.now else { return boards[name]?.isChanged == false }
        return now.isCounted(as: claim)
            || !board.isChanged && now.epoch == claim.epoch && now.changeCount < claim.changeCount
    }

    // MARK: Rules

    var broken: [String] {
        var broken = noted
        let contents = boards.values.compactMap(\.now)
        let kept = contents.reduce(0) { $0 + $1.keptParts }
        if broker.openMemory != kept { broken.append("\(broker.openMemory) kept bytes of \(kept) are open") }
        let saved = contents.count(where: \.isSaved)
        if broker.saved.count != saved { broken.append("\(broker.saved.count) contents of \(saved) are saved") }
        if !broker.evictions.isEmpty { broken.append("contents were evicted") }
        return broken
    }

    private mutating func verify(_ name: String) {
        let shown = ShownContents(of: name, at: broker, to: reader)
        let expected = boards[name]?.now?.shown
        if shown != expected { noted.append("\(name) has \(shown.text) instead of \(expected.text)") }
    }

    /// Clears the boards, and disconnects all peers.
    mutating func finish() {
        for name in Self.names { _ = clear(name, by: reader) }
        for peer in clients.compactMap(\.peer) + [reader] { broker.disconnect(peer) }
    }

    var missing: [String] {
        tooFew([("restored", restored, 11), ("reclaimed", reclaimed, 11), ("prevented", prevented, 1)])
    }

    // MARK: Choices

    private func chance(_ percent: Int) -> Bool { choices.chance(percent) }

    private func board() -> String { choices.element(of: Self.names) ?? BoardName.general }

    private func bytes() -> [UInt8] {
        (0..<choices.number(in: 0...5)).map { _ in choices.byte() }
    }

    private func items() -> [[WalkedContents.Part]] {
        (0..<choices.number(in: 1...2)).map { _ in
            Self.types.prefix(choices.number(in: 1...3)).map { type in
                WalkedContents.Part(type: type, bytes: chance(50) ? bytes() : nil, isKeptOnce: chance(50))
            }
        }
    }

    private func terms() -> ContentTerms? {
        switch choices.number(in: 0..<10) {
        case 0: ContentTerms(concealed: true, expires: choices.number(in: 1...60_000))
        case 1: ContentTerms(transient: true, loads: choices.number(in: 1...3))
        case 2: ContentTerms(localOnly: true, expires: choices.number(in: 1...5_000))
        case 3: ContentTerms(autogenerated: true)
        default: nil
        }
    }
}

extension WalkedContents {
    fileprivate func remainingTerms(at now: UInt64) -> ContentTerms? {
        var terms = terms
        if let expiresAt { terms?.expiresMilliseconds = expiresAt - now }
        return terms
    }

    /// The contents after their writer has given them back; nil if what it has written takes their place.
    fileprivate func merged(with written: WalkedContents) -> WalkedContents? {
        guard isKept, !isConcealed, types == written.types else { return nil }
        var merged = self
        for item in items.indices {
            for part in items[item].indices where items[item][part].bytes != nil {
                guard written.items[item][part].bytes == nil else { return nil }
            }
            for part in items[item].indices where items[item][part].bytes == nil {
                merged.items[item][part] = written.items[item][part]
            }
        }
        return merged
    }
}
