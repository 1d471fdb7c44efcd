package import Testing

/// Limits the number of concurrent test cases, so that none waits long for a thread. With hundreds at once, the
/// machine's load would look like a silent program.
package struct FewAtATime: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(8)

    /// Waits until tasks get a thread soon. At the start of a run, hundreds of tests that compute wait for the same few
    /// threads, and a handler that has to wait behind them looks silent.
    private static func waitForThreads() async {
        let clock = ContinuousClock()
        while true {
            let start = clock.now
            await Task.yield()
            if clock.now - start < .seconds(1) { return }
        }
    }

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.begin()
        await Self.waitForThreads()
        do {
            try await function()
            await Self.turns.end()
        } catch {
            await Self.turns.end()
            throw error
        }
    }
}

extension Trait where Self == FewAtATime {
    /// A trait for tests that wait for tasks and threads of their own process.
    package static var fewAtATime: Self { Self() }
}

private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func begin() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
