import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct SharedResultTests {
    @Test("Every waiting task gets the result, and so does a later one")
    func all() async throws {
        let shared = SharedResult<Int>()
        #expect(shared.value == nil)
        let waits = (0..<4).map { _ in Task { try await shared.value(for: Call("the test")) } }
        shared.resolve(1)
        shared.resolve(2)
        for wait in waits { #expect(try await wait.value == 1) }
        #expect(try await shared.value(for: Call("the test", timeout: .zero)) == 1)
        #expect(shared.value == 1)
    }

    @Test("The cancellation of one waiting task leaves the others waiting")
    func cancelled() async throws {
        let shared = SharedResult<Int>()
        let first = Task { try await shared.value(for: Call("the test")) }
        let second = Task { try await shared.value(for: Call("the test")) }
        first.cancel()
        let error = await #expect(throws: PasteboardError.self) { try await first.value }
        #expect(error?.message == "the test was cancelled")
        shared.resolve(3)
        #expect(try await second.value == 3)
    }
}
