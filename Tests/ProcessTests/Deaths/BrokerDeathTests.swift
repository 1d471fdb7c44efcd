import PasteboardTransport
import TestSupport
import Testing

/// A broker that is killed at random moments while a hundred clients use it, and that its keeper starts again.
///
/// `PASTEBOARD_TEST_BROKER_DEATHS` is the number of rounds; `.ci/long` sets it to 50. `PASTEBOARD_TEST_BROKER_DEATHS_SEED`
/// repeats the choices of another run.
@Suite(.processes) struct BrokerDeathTests {
    private static var rounds: Int {
        System.environment("PASTEBOARD_TEST_BROKER_DEATHS").flatMap(Int.init) ?? 5
    }
    private static var seed: UInt64? {
        System.environment("PASTEBOARD_TEST_BROKER_DEATHS_SEED").flatMap(UInt64.init)
    }

    @Test(
        "After each death of the broker its successor has what was acknowledged, and every load has ended",
        .tags(.f82)
    )
    func killed() async throws {
        let deaths = try BrokerDeaths(seed: Self.seed)
        do {
            try await deaths.start()
            for _ in 0..<Self.rounds { try await deaths.round() }
            try await deaths.end()
        } catch {
            deaths.abandon()
            Issue.record(error, "seed \(deaths.seed), round \(deaths.rounds)")
        }
        let entries = deaths.ledger.now
        #expect(entries.faults == [], "seed \(deaths.seed), round \(deaths.rounds)")
        guard System.environment("PASTEBOARD_TEST_BROKER_DEATHS") != nil else { return }
        let waited = entries.results.values.flatMap(\.self)
        print(
            """
            broker deaths: seed \(deaths.seed), \(deaths.rounds) rounds, \(entries.work) writes and loads done
            broker deaths: \(entries.lostWrites) writes lost their broker, \(entries.lateWrites) of them had taken place
            broker deaths: \(entries.lostLoads) loads lost their broker
            broker deaths: of \(waited.count) loads that waited for a source, \(waited.count { $0 == .bytes }) got bytes \
            afterwards, \(waited.count { $0 == .lost }) an error
            """
        )
    }
}
