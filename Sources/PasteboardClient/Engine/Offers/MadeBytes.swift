import PasteboardTransport
package import PasteboardWire

/// Bytes that code of the program has made.
package struct MadeBytes: Sendable {
    package let bytes: [UInt8]
    /// nil for the bytes themselves.
    package let form: ContentForm?

    package init(_ bytes: [UInt8], form: ContentForm? = nil) {
        self.bytes = bytes
        self.form = form
    }
}

/// The outcome of code of the program. Not a `Result`, whose metadata takes 100,000 instructions of a command.
private enum Outcome {
    case made(MadeBytes)
    case failed(any Error)
}

extension BrokerConnection {
    /// Runs code of the program, and waits for its outcome. If the task is cancelled, the time is over or the
    /// connection ends, this returns at once: nobody can make the code return.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    func performing(
        until deadline: UInt64,
        _ make: @escaping @Sendable () async throws -> MadeBytes
    ) async throws -> MadeBytes {
        let (slot, serial) = change { core in
            let slot = core.place()
            core.streams.limit(slot, to: deadline)
            return (slot, core.streams.slots[slot].serial)
        }
        let place = BrokerStream(slot, of: self)
        let outcome = SharedOutcome()
        change { core in
            let task = Task(executorPreference: loop) { [self] in
                let made: Outcome
                do { made = .made(try await make()) } catch { made = .failed(error) }
                outcome.value.withLock { $0 = made }
                change { $0.streams.nudge(slot, serial) }
            }
            core.streams.setHandler(.task(task), of: slot)
        }
        while true {
            // First: code that was cancelled because the connection has ended fails, too.
            try place.check(.standing)
            switch outcome.value.withLock({ $0.take() }) {
            case .made(let bytes): return bytes
            case .failed(let error): throw error
            case nil: await place.wait(for: .event)
            }
        }
    }
}

private final class SharedOutcome: Sendable {
    let value = Lock<Outcome?>(nil)
}
