import BrokerModel
import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@testable import BrokerState

/// The shares of one pool, without the objects that it is about.
@Suite(.pure) struct PoolTests {
    /// Accounts that take units of a pool.
    private struct Scene {
        private(set) var pool: Pool
        private(set) var held: [UInt64] = []

        init(_ pool: Pool) { self.pool = pool }

        /// An account takes all that it may, at most `most`.
        mutating func acquire(_ account: Int, atMost most: UInt64 = .max) {
            while held.count <= account { held.append(0) }
            let count = min(most, pool.room(holding: held[account]))
            pool.add(count, holding: held[account], isLiving: true)
            held[account] += count
        }

        mutating func end(_ account: Int) {
            pool.subtract(held[account], holding: held[account], isLiving: true)
            pool.add(held[account], holding: 0, isLiving: false)
        }

        mutating func revive(_ account: Int) {
            pool.subtract(held[account], holding: held[account], isLiving: false)
            pool.add(held[account], holding: 0, isLiving: true)
        }

        mutating func release(_ account: Int) {
            pool.subtract(held[account], holding: held[account], isLiving: true)
            held[account] = 0
        }
    }

    /// One row of the table in the article HowItWorks.
    fileprivate struct Row: Sendable {
        let resource: Accounting.Resource
        let limit: any KeyPath<BrokerLimits, UInt64> & Sendable
        let name: String
        /// The part of the limit that is the reserve; nil if first units are beside the limit.
        let part: UInt64?
        let first: (units: UInt64, text: String)
        var share = "half"

        var text: String {
            let reserve = part.map { $0 == 4 ? "a quarter" : "an eighth" } ?? "beside the limit"
            return "\n| \(name) | \(reserve) | \(first.text) | \(share) |\n"
        }
    }

    private static let rows = [
        Row(.objects, \.objects, "`objects` 1,048,576", 4, (256, "256")),
        Row(.metadata, \.metadata, "`metadata` 64 MiB", 4, (72 << 10, "72 KiB")),
        Row(.connections, \.connections, "`connections` 16,384", 8, (2, "2"), "all but an eighth"),
        Row(.boards, \.boards, "`boards` 1,024", 4, (1, "1")),
        Row(.keptRepresentations, \.keptRepresentations, "`kept-representations` 4,096", 4, (4, "4")),
        Row(.keptBytes, \.keptPool, "`kept-pool`, a quarter of the machine's memory", 8, (1 << 20, "1 MiB")),
        Row(.sessions, \.sessions, "`sessions` 1,024", 4, (1, "1")),
        Row(.destinations, \.destinations, "`destinations` 1,024", 4, (1, "1")),
        Row(.watches, \.watches, "`watches` 16,384", 4, (1, "1")),
        Row(.transfer, \.transferPool, "`transfer-pool` 64 MiB", nil, (256 << 10, "256 KiB")),
    ]

    @Test(
        "Each resource has the reserve, the first units and the share of the article's table",
        arguments: rows.indices
    )
    func table(_ index: Int) throws {
        let row = Self.rows[index]
        #expect(Repository.text("Sources/PasteboardKit/PasteboardKit.docc/HowItWorks.md").contains(row.text))
        let limits = BrokerLimits()
        var accounting = Accounting(limits: limits)
        func most(_ account: Accounting.AccountID) -> UInt64 {
            accounting.room(for: account, of: row.resource) + accounting.held(by: account, of: row.resource)
        }
        let rest = limits[keyPath: row.limit] - (row.part.map { limits[keyPath: row.limit] / $0 } ?? 0)
        let greedy = try accounting.connect(ProcessKey(pid: 1, identity: 1), limit: 10)
        #expect(most(greedy) == row.first.units + (row.share == "half" ? rest / 2 : rest - rest / 8))
        accounting.acquire(rest + row.first.units, of: row.resource, for: greedy)
        let other = try accounting.connect(ProcessKey(pid: 2, identity: 2), limit: 10)
        #expect(most(other) == row.first.units)
    }

    private static let boards = Pool(1_024, reservingPart: 4, firstUnits: 1)
    private static let representations = Pool(4_096, reservingPart: 4, firstUnits: 4)
    private static let bytes = Pool(4 << 30, reservingPart: 8, firstUnits: 1 << 20)

    @Test(
        "One after another, each account takes its first units and half of what the others leave",
        arguments: [
            (boards, [385, 193, 49, 1, 1]), (representations, [1_540, 772, 196, 4, 4]),
            (bytes, [1_880_096_768, 940_572_672, 235_929_600, 1_105_920, 1 << 20]),
        ] as [(Pool, [UInt64])]
    )
    func oneAfterAnother(_ pool: Pool, _ expected: [UInt64]) {
        var scene = Scene(pool)
        for account in 0..<64 { scene.acquire(account) }
        #expect([1, 2, 4, 16, 64].map { scene.held[$0 - 1] } == expected)
    }

    @Test(
        "Accounts that grow side by side end with equal parts",
        arguments: [(1, 385...385), (4, 154...155), (64, 12...13)] as [(Int, ClosedRange<UInt64>)]
    )
    func sideBySide(_ accounts: Int, _ share: ClosedRange<UInt64>) {
        var scene = Scene(Self.boards)
        for _ in 0..<1_024 { for account in 0..<accounts { scene.acquire(account, atMost: 1) } }
        #expect(scene.held.allSatisfy { share.contains($0) }, "\(scene.held)")
    }

    @Test("Each of as many accounts as the reserve is made for gets its first units, whatever others have taken")
    func reserve() {
        var scene = Scene(Self.representations)
        for account in 0..<128 { scene.acquire(account) }
        for account in 128..<256 { scene.acquire(account, atMost: 4) }
        #expect(scene.held.allSatisfy { $0 >= 4 })
    }

    @Test("When the reserve is used up, first units come from what others have left of the rest")
    func beyondReserve() {
        var scene = Scene(Self.boards)
        for account in 0..<1_025 { scene.acquire(account, atMost: 1) }
        #expect(scene.held[..<1_024].allSatisfy { $0 == 1 } && scene.held[1_024] == 0)
        for account in 0..<1_024 { scene.release(account) }
        scene.acquire(1_024)
        #expect(scene.held[1_024] == 385)
    }

    @Test("What ended accounts hold does not reduce the room of others, but is counted until it is evicted")
    func ended() {
        var scene = Scene(Self.boards)
        for account in 0..<4 {
            scene.acquire(account)
            #expect(scene.held[account] == 385)
            #expect(scene.pool.isExceeded() == (account >= 2))
            scene.end(account)
        }
        #expect(scene.pool.total == 4 * 385 && scene.pool.evictable == 4 * 385)
        #expect(scene.pool.isExceeded() && !scene.pool.isExceeded(withoutPending: 4 * 385 - 1_024))
    }

    @Test("Ended accounts that come back, and have more than the limit, leave the reserve to others")
    func revived() {
        var scene = Scene(Self.representations)
        for account in 0..<3 {
            scene.acquire(account)
            scene.end(account)
        }
        for account in 0..<3 { scene.revive(account) }
        for account in 3..<200 { scene.acquire(account) }
        #expect(scene.held[3...].allSatisfy { $0 == 4 })
        #expect(scene.pool.total == 3 * 1_540 + 197 * 4)
    }

    @Test(
        "Of a small pool, one account can use something, and leaves something",
        arguments: [(1, 1, 0), (2, 1, 1), (3, 2, 1), (4, 2, 1), (8, 4, 2), (16, 7, 4), (64, 25, 13)]
            as [(UInt64, UInt64, UInt64)]
    )
    func small(_ limit: UInt64, _ first: UInt64, _ second: UInt64) {
        // The first units of a small pool are few, however many a large one has.
        for units in [1, 4, 1 << 20] as [UInt64] {
            var scene = Scene(Pool(limit, reservingPart: 4, firstUnits: units))
            for account in 0..<2 { scene.acquire(account) }
            #expect(scene.held == [first, second])
        }
    }

    @Test("Of connections, a program may have all but an eighth of the rest, and each other one its first two")
    func connections() {
        var scene = Scene(Pool(16_384, reservingPart: 8, firstUnits: 2, share: .allButAnEighth))
        for account in 0..<64 { scene.acquire(account) }
        #expect(scene.held[0] == 2 + 14_336 / 8 * 7)
        for account in 64..<1_024 { scene.acquire(account, atMost: 2) }
        #expect(scene.held.allSatisfy { $0 >= 2 })
    }

    @Test("No pool gives more than it has after any sequence", arguments: Seeds.fixed(1))
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let limit = UInt64.random(in: 0...300, using: &generator)
            let part = UInt64.random(in: 1...8, using: &generator)
            let units = UInt64.random(in: 0...20, using: &generator)
            let share = Bool.random(using: &generator) ? Pool.Share.half : .allButAnEighth
            var scene = Scene(Pool(limit, reservingPart: part, firstUnits: units, share: share))
            for _ in 0..<300 {
                let account = Int.random(in: 0..<8, using: &generator)
                if Int.random(in: 0..<8, using: &generator) == 0, account < scene.held.count {
                    scene.release(account)
                } else {
                    scene.acquire(account, atMost: .random(in: 0...limit, using: &generator))
                }
                try #require(scene.pool.total == scene.held.reduce(0, +) && scene.pool.total <= limit)
            }
        }
    }

    @Test("The greatest limits and counts cause no overflow")
    func greatest() {
        for part in [1, 4] as [UInt64] {
            var scene = Scene(Pool(.max, reservingPart: part, firstUnits: .max))
            for account in 0..<4 { scene.acquire(account) }
            #expect(scene.pool.total == scene.held.reduce(0) { $0.addingClamped($1) })
        }
    }
}

extension PoolTests.Row {
    fileprivate init(
        _ resource: Accounting.Resource,
        _ limit: any KeyPath<BrokerLimits, UInt64> & Sendable,
        _ name: String,
        _ part: UInt64?,
        _ first: (units: UInt64, text: String),
        _ share: String = "half"
    ) {
        self.init(resource: resource, limit: limit, name: name, part: part, first: first, share: share)
    }
}
