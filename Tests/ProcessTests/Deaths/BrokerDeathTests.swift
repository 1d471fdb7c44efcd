import PasteboardTransport
import TestSupport
import Testing

/// A broker that is killed at random moments while a hundred clients use it, and that the test starts again.
///
/// `PASTEBOARD_TEST_BROKER_DEATHS` is the number of rounds; `.ci/long` sets it to 50.
@Suite(.processes) struct BrokerDeathTests {
    private static var rounds: Int {
        System.environment("PASTEBOARD_TEST_BROKER_DEATHS").flatMap(Int.init) ?? thinned(3, full: 5)
    }

    @Test(
        "After each death of the broker its successor has what was acknowledged, and every load has ended",
        .tags(.f82),
        arguments: Seeds.fixed(82)
    )
    func killed(seed: UInt64) async throws {
        let deaths = try BrokerDeaths(seed: seed)
        do {
            try await deaths.start()
            for _ in 0..<Self.rounds { try await deaths.round() }
            try await deaths.end()
        } catch {
            deaths.abandon()
            Issue.record(error, "round \(deaths.rounds)")
        }
        let entries = deaths.ledger.now
        #expect(entries.faults == [], "round \(deaths.rounds)")
        guard System.environment("PASTEBOARD_TEST_BROKER_DEATHS") != nil else { return }
        let waited = entries.results.values.flatMap(\.self)
        print(
            """
            broker deaths: seed \(seed), \(deaths.rounds) rounds, \(entries.work) writes and loads done
            broker deaths: \(entries.lostWrites) writes lost their broker, \(entries.lateWrites) of them had taken place
            broker deaths: \(entries.lostLoads) loads lost their broker
            broker deaths: of \(waited.count) loads that waited for a source, \(waited.count { $0 == .bytes }) got bytes \
            afterwards, \(waited.count { $0 == .lost }) an error
            """
        )
    }
}
