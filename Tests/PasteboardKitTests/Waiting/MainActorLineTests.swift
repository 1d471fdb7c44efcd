import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

/// The order in which tasks of the main actor continue.
@Suite(.inProcess)
struct MainActorLineTests {
    @Test("Tasks of the main actor continue in the order of their results, whichever thread resolves them")
    @MainActor
    func order() async throws {
        // Without the line, about every fourth round has another order.
        for _ in 0..<100 {
            let results = (0..<20).map { _ in PendingResult<Int>() }
            var waiting = 0
            var order: [Int] = []
            let tasks = results.map { result in
                Task { order.append(try await result.value(onCancel: {}, start: { waiting += 1 })) }
            }
            try await eventually("a wait of each task") { waiting == results.count }
            try SystemThread(name: "resolver") {
                for number in results.indices.reversed() { results[number].resolve(.success(number)) }
            }.detach()
            for task in tasks { try await task.value }
            #expect(order == results.indices.reversed())
        }
    }
}
