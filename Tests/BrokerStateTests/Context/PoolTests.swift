import BrokerModel
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

        /// An account takes units one by one, at most `most`.
        mutating func acquire(_ account: Int, atMost most: UInt64 = .max) {
            while held.count <= account { held.append(0) }
            var count: UInt64 = 0
            while count < most, pool.allows(1, holding: held[account]) {
                pool.add(1, to: &held[account], of: .living)
                count += 1
            }
        }

        /// An account takes all that it may at once.
        mutating func acquireAll(_ account: Int) {
            while held.count <= account { held.append(0) }
            let room = pool.room(holding: held[account])
            #expect(pool.allows(room, holding: held[account]) && !pool.allows(room + 1, holding: held[account]))
            pool.add(room, to: &held[account], of: .living)
        }

        mutating func end(_ account: Int) { pool.move(held[account], from: .living, to: .ended) }

        mutating func release(_ account: Int) {
            pool.subtract(held[account], from: &held[account], of: .living)
        }
    }

    private static let boards = Pool(1_024, reservingPart: 4, firstUnits: 1)
    private static let representations = Pool(4_096, reservingPart: 4, firstUnits: 4)
    private static let bytes = Pool(4 << 30, reservingPart: 8, firstUnits: 1 << 20)

    @Test(
        "One after another, each account takes all that it may",
        arguments: [
            (boards, [385, 129, 39, 4, 1, 1]), (representations, [1_540, 516, 157, 15, 7, 4]),
            (bytes, [1_880_096_768, 627_397_973, 188_953_395, 14_865_107, 4_607_379, 1_951_964]),
        ] as [(Pool, [UInt64])]
    )
    func oneAfterAnother(_ pool: Pool, _ expected: [UInt64]) {
        var scene = Scene(pool)
        for account in 0..<64 { scene.acquireAll(account) }
        #expect([1, 2, 4, 16, 32, 64].map { scene.held[$0 - 1] } == expected)
    }

    @Test(
        "Accounts that grow side by side end with equal parts, which use half of the shared part",
        arguments: [(1, 384...384), (4, 96...97), (64, 6...7)] as [(Int, ClosedRange<UInt64>)]
    )
    func sideBySide(_ accounts: Int, _ share: ClosedRange<UInt64>) {
        var scene = Scene(Self.boards)
        for _ in 0..<1_024 { for account in 0..<accounts { scene.acquire(account, atMost: 1) } }
        #expect(scene.held.allSatisfy { share.contains($0 - 1) }, "\(scene.held)")
    }

    @Test("Each of as many accounts as the reserve is made for gets its first units, whatever others have taken")
    func reserve() {
        var scene = Scene(Self.representations)
        for account in 0..<128 { scene.acquireAll(account) }
        for account in 128..<256 { scene.acquire(account, atMost: 4) }
        #expect(scene.held.allSatisfy { $0 >= 4 })
    }

    @Test("When the reserve is used up, first units come from what others have left of the shared part")
    func beyondReserve() {
        var scene = Scene(Self.boards)
        for account in 0..<1_024 { scene.acquire(account, atMost: 1) }
        #expect(scene.held.allSatisfy { $0 == 1 })
        scene.acquire(1_024)
        #expect(scene.held[1_024] == 0)
        for account in 0..<1_024 { scene.release(account) }
        scene.acquire(1_024)
        #expect(scene.held[1_024] == 385)
    }

    @Test("What ended accounts hold does not reduce the room of others, but is counted until it is evicted")
    func ended() {
        var scene = Scene(Self.boards)
        for account in 0..<4 {
            scene.acquireAll(account)
            #expect(scene.held[account] == 385)
            #expect(scene.pool.isExceeded() == (account >= 2))
            scene.end(account)
        }
        #expect(scene.pool.total == 4 * 385 && scene.pool.evictable == 4 * 385)
        #expect(scene.pool.isExceeded() && !scene.pool.isExceeded(withoutPending: 4 * 385 - 1_024))
    }

    @Test(
        "Of a small pool, one account can use something, and leaves something",
        arguments: [(1, 1, 0), (2, 1, 1), (3, 2, 1), (4, 2, 1), (8, 4, 2), (16, 7, 3), (64, 25, 9)]
            as [(UInt64, UInt64, UInt64)]
    )
    func small(_ limit: UInt64, _ first: UInt64, _ second: UInt64) {
        // The first units of a small pool are few, however many a large one has.
        for units in [1, 4, 1 << 20] as [UInt64] {
            var scene = Scene(Pool(limit, reservingPart: 4, firstUnits: units))
            for account in 0..<2 { scene.acquireAll(account) }
            #expect(scene.held == [first, second])
        }
    }

    @Test("Of connections, a program may have all but an eighth of the shared part, and each other one its first two")
    func connections() {
        var scene = Scene(Pool(16_384, reservingPart: 8, firstUnits: 2, .allButAnEighth))
        for account in 0..<64 { scene.acquireAll(account) }
        #expect(scene.held[0] == 2 + 14_336 / 8 * 7)
        for account in 64..<1_024 { scene.acquire(account, atMost: 2) }
        #expect(scene.held.allSatisfy { $0 >= 2 })
    }

    @Test(
        "No pool gives more than it has, and none counts what it does not have, after any sequence",
        arguments: Seeds.fixed(1)
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let limit = UInt64.random(in: 0...300, using: &generator)
            let part = UInt64.random(in: 1...8, using: &generator)
            let units = UInt64.random(in: 0...20, using: &generator)
            let rule = Bool.random(using: &generator) ? Pool.Rule.fairShare : .allButAnEighth
            var pool = Pool(limit, reservingPart: part, firstUnits: units, rule)
            let empty = pool
            var held = [UInt64](repeating: 0, count: 8)
            for _ in 0..<300 {
                let account = Int.random(in: 0..<8, using: &generator)
                let count = UInt64.random(in: 0...limit, using: &generator)
                if Bool.random(using: &generator) {
                    let count = min(count, held[account])
                    pool.subtract(count, from: &held[account], of: .living)
                } else if pool.allows(count, holding: held[account]) {
                    pool.add(count, to: &held[account], of: .living)
                }
                try #require(pool.total == held.reduce(0, +) && pool.total <= limit)
            }
            for account in 0..<8 { pool.subtract(held[account], from: &held[account], of: .living) }
            try #require(pool.room(holding: 0) == empty.room(holding: 0))
        }
    }

    @Test("The greatest limits and counts cause no overflow")
    func greatest() {
        var scene = Scene(Pool(.max, reservingPart: 1, firstUnits: .max))
        scene.acquireAll(0)
        #expect(!scene.pool.allows(.max, holding: scene.held[0]))
    }
}
