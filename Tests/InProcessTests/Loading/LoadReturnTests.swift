import FoundationEssentials
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Loads whose broker is lost, at a broker that the test writes.
@Suite(.inProcess)
struct LoadReturnTests {
    private static let bytes = Array("whole".utf8)

    /// Timeouts with which the contents have this time to come back.
    private static func timeouts(settling milliseconds: UInt64 = 600_000) -> ConnectionTimeouts {
        var timeouts = ConnectionTimeouts.endless
        timeouts.settling = milliseconds
        return timeouts
    }

    @Test("A list of an empty board waits for contents of an earlier broker, as long as they may come back")
    func early() async throws {
        for returns in [true, false] {
            let isThere = Lock(false)
            let lists = Lock(0)
            var welcome = Welcome.standard()
            welcome.settlingMilliseconds = 600_000
            let connection = ScriptedBroker(welcome: welcome) { peer, frame in
                switch frame.kind {
                case .list:
                    lists.withLock { $0 += 1 }
                    var contents = Contents()
                    contents.handle = isThere.withLock { $0 } ? 1 : nil
                    try peer.send(contents, stream: frame.stream)
                    if contents.handle != nil { try peer.send(Item(), stream: frame.stream) }
                    try peer.send(End(), stream: frame.stream)
                case .watch:
                    // The epoch is not the broker's, so an empty board is reported only when its time is over.
                    #expect(try frame.decoded(as: Watch.self).sinceEpoch == 0)
                    isThere.withLock { $0 = returns }
                    try peer.send(Registered(), stream: frame.stream)
                    try peer.send(DyingBroker.change(1, handle: returns ? 1 : nil), stream: frame.stream)
                default: break
                }
            }.connect(timeouts: Self.timeouts())
            let contents = try await Pasteboard(name: "notes", connection: connection).contents()
            #expect(contents.items.count == (returns ? 1 : 0) && lists.withLock { $0 } == 2)
        }
    }

    /// A broker whose board has contents 41 of epoch 7. It dies during the first loads.
    private final class DyingBroker: Sendable {
        /// The reply to a load before the broker dies.
        enum Reply: Sendable {
            case none
            case answer
            case farewell
        }

        /// A load, by its handle.
        let loads = Lock<[UInt64?]>([])
        let watches = Lock<[Watch]>([])
        private let deaths: Int
        private let reply: Reply
        private let timeouts: ConnectionTimeouts
        private let changes: [PasteboardWire.Change]

        /// - Parameters:
        ///   - deaths: the number of loads during which the broker dies.
        ///   - timeouts: those of the connections to it.
        ///   - changes: the states of the board that the next broker reports one after the other.
        init(
            deaths: Int = 1,
            after reply: Reply = .none,
            timeouts: ConnectionTimeouts = LoadReturnTests.timeouts(),
            then changes: [PasteboardWire.Change]
        ) {
            self.deaths = deaths
            self.reply = reply
            self.timeouts = timeouts
            self.changes = changes
        }

        static func change(_ count: UInt64, epoch: UInt64 = 7, handle: UInt64?) -> PasteboardWire.Change {
            var change = PasteboardWire.Change()
            (change.changeCount, change.epoch, change.handle) = (count, epoch, handle)
            return change
        }

        func item() async throws -> ItemProvider {
            let contents = try await Pasteboard(name: "notes", connection: connect()).contents()
            return try #require(contents.items.first).itemProvider
        }

        func connect() -> PasteboardConnection {
            var welcome = Welcome.standard()
            welcome.features = Feature.allCases.map(\.rawValue)
            return ScriptedBroker(welcome: welcome) { peer, frame in
                switch frame.kind {
                case .list:
                    var contents = Contents()
                    (contents.changeCount, contents.epoch, contents.handle) = (41, 7, 1)
                    try peer.send(contents, stream: frame.stream)
                    var item = Item()
                    var representation = Representation()
                    (representation.type, representation.provision) = ("public.utf8-plain-text", .promised)
                    item.representations = [representation]
                    try peer.send(item, stream: frame.stream)
                    try peer.send(End(), stream: frame.stream)
                case .watch:
                    let watch = try frame.decoded(as: Watch.self)
                    self.watches.withLock { $0.append(watch) }
                    try peer.send(Registered(), stream: frame.stream)
                    if let change = self.changes.first { try peer.send(change, stream: frame.stream) }
                case .credit:
                    // The credit of a watch: the loads need no more than their first credit.
                    let index = Int(try frame.decoded(as: Credit.self).offset ?? 0) - 1
                    if self.changes.indices.contains(index) {
                        try peer.send(self.changes[index], stream: frame.stream)
                    }
                case .load:
                    let load = try frame.decoded(as: Load.self)
                    let count = self.loads.withLock { loads in
                        loads.append(load.handle)
                        return loads.count
                    }
                    guard count <= self.deaths else {
                        try peer.send(Self.answer, stream: frame.stream)
                        return try peer.sendData(LoadReturnTests.bytes, stream: frame.stream, last: true)
                    }
                    switch self.reply {
                    case .none: break
                    case .answer:
                        try peer.send(Self.answer, stream: frame.stream)
                        try peer.sendData([1, 2], stream: frame.stream)
                    case .farewell: try peer.send(Failure(.brokerRestarted, "stopped"), stream: 0)
                    }
                    peer.shutDown()
                default: break
                }
            }.connect(timeouts: timeouts)
        }

        private static var answer: Answer {
            var answer = Answer()
            answer.type = "public.utf8-plain-text"
            return answer
        }
    }

    private func load(_ form: LoadedForm, _ provider: ItemProvider, retries: Bool = true) async throws -> Data {
        let progress = LoadProgress()
        let data: Data
        switch form {
        case .data:
            data = try await provider.loadData(for: .text, retries: retries, progress: progress).value
        case .file, .inPlace:
            data = try await provider.withLoadedFile(
                for: .text,
                openInPlace: form == .inPlace,
                retries: retries,
                progress: progress
            ) { try Data(contentsOf: $0.value) }
        case .object:
            let text = try await provider.loadObject(ofClass: String.self, retries: retries, progress: progress)
            data = Data(text.utf8)
        case .chunks:
            let chunks = try await provider.loadBytes(for: .text, retries: retries, progress: progress).value
            var all = Data()
            for try await chunk in chunks { all += chunk }
            data = all
        }
        #expect(progress.isFinished && progress.completedUnitCount == Int64(data.count))
        return data
    }

    @Test(
        "A load is made once more when its contents are back, also after an orderly end",
        .tags(.f83),
        arguments: LoadedForm.allCases,
        [false, true]
    )
    func returned(form: LoadedForm, isOrderly: Bool) async throws {
        let absent = DyingBroker.change(90, epoch: 8, handle: nil)
        let back = DyingBroker.change(41, handle: 5)
        let broker = DyingBroker(after: isOrderly ? .farewell : .none, then: [absent, back])
        let item = try await broker.item()
        #expect(try await load(form, item) == Data(Self.bytes))
        #expect(broker.loads.withLock { $0 } == [1, 5])
        let watch = try #require(broker.watches.withLock { $0 }.first)
        #expect(watch.board == "notes" && watch.sinceChangeCount == 0 && watch.sinceEpoch == nil)
        // Without a progress, too.
        #expect(try await item.loadData(for: .text).value == Data(Self.bytes))
    }

    @Test(
        "A load that has delivered nothing is made once more, although bytes have arrived",
        arguments: LoadedForm.allCases
    )
    func begun(form: LoadedForm) async throws {
        let broker = DyingBroker(after: .answer, then: [DyingBroker.change(41, handle: 5)])
        let item = try await broker.item()
        guard form == .chunks else {
            #expect(try await load(form, item) == Data(Self.bytes))
            return
        }
        // The program may have read these bytes.
        let error = await #expect(throws: PasteboardError.self) { try await load(form, item) }
        #expect(error?.code == .brokerRestarted && broker.loads.withLock { $0 } == [1])
    }

    @Test(
        "Other contents than those of the load are not loaded",
        .tags(.f83),
        arguments: [DyingBroker.change(42, handle: 5), DyingBroker.change(41, epoch: 8, handle: 5)]
    )
    private func others(change: PasteboardWire.Change) async throws {
        for form in LoadedForm.allCases {
            let broker = DyingBroker(then: [change])
            let item = try await broker.item()
            let error = await #expect(throws: PasteboardError.self) { try await load(form, item) }
            #expect(error?.code == .brokerRestarted, "\(form)")
            #expect(broker.loads.withLock { $0 } == [1], "\(form)")
        }
    }

    @Test("A load whose contents do not come back ends with broker-restarted, at the latest with its timeout")
    func lost() async throws {
        for timeout in [nil, Duration.milliseconds(500)] {
            let timeouts = Self.timeouts(settling: timeout == nil ? 500 : 600_000)
            let absent = DyingBroker.change(90, epoch: 8, handle: nil)
            let broker = DyingBroker(deaths: .max, timeouts: timeouts, then: [absent])
            let item = try await broker.item()
            var error: PasteboardError?
            // The timeout may pass before the broker has died.
            repeat {
                error = await #expect(throws: PasteboardError.self) {
                    try await item.loadData(for: .text, timeout: timeout)
                }
            } while error?.code == .timeout
            #expect(error?.code == .brokerRestarted)
            #expect(broker.loads.withLock { $0 }.allSatisfy { $0 == 1 })
        }
    }

    @Test("A load is made once more only once, and not if its caller does not want it", arguments: LoadedForm.allCases)
    func once(form: LoadedForm) async throws {
        let broker = DyingBroker(deaths: 2, then: [DyingBroker.change(41, handle: 5)])
        let item = try await broker.item()
        let error = await #expect(throws: PasteboardError.self) { try await load(form, item) }
        #expect(error?.code == .brokerRestarted && broker.loads.withLock { $0 } == [1, 5])

        let other = DyingBroker(then: [DyingBroker.change(41, handle: 5)])
        let unwanted = try await other.item()
        let refused = await #expect(throws: PasteboardError.self) { try await load(form, unwanted, retries: false) }
        #expect(refused?.code == .brokerRestarted && other.loads.withLock { $0 } == [1])
    }

    @Test("A load that waits for its contents can be cancelled, and ends with its connection")
    func cancelled() async throws {
        for closes in [false, true] {
            let broker = DyingBroker(then: [DyingBroker.change(90, epoch: 8, handle: nil)])
            let connection = broker.connect()
            let contents = try await Pasteboard(name: "notes", connection: connection).contents()
            let item = try #require(contents.items.first).itemProvider
            let progress = LoadProgress()
            let load = Task { try await item.loadData(for: .text, progress: progress) }
            try await eventually("a watch") { !broker.watches.withLock(\.isEmpty) }
            if closes { await connection.close() } else { progress.cancel() }
            let error = await #expect(throws: PasteboardError.self) { try await load.value }
            #expect(error?.code == (closes ? .brokerRestarted : .cancelled))
        }
    }

    @Test("Loads and items outlive a broker whose contents are written again", .tags(.f83))
    func restarted() async throws {
        try await TestBroker.with { broker in
            let (asked, isRestarted) = (Gate(), Gate())
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .utf8PlainText) {
                asked.open()
                await isRestarted.wait()
                return Data("whole".utf8)
            }
            let publication = try await broker.pasteboard("notes").write([provider])
            let reader = Pasteboard(name: "notes", connection: broker.connect(timeouts: Self.timeouts()))
            let item = try #require(try await reader.contents().items.first).itemProvider
            let load = Task { try await item.loadData(for: .text).value }
            await asked.wait()
            try await broker.stop()
            let next = try broker.restart()
            isRestarted.open()
            #expect(try await load.value == Data("whole".utf8))
            // An item that was listed at the first broker.
            #expect(try await item.loadData(for: .text).value == Data("whole".utf8))
            #expect(publication.isCurrent)
            try await next.stop()
        }
    }
}
