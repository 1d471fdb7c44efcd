package import PasteboardTransport
package import PasteboardWire

/// The answer to an ask for a promise. It uses a reference to the stream of the ask.
package protocol AskWork: AnyObject, Sendable {
    /// Called once, without a lock.
    func start()
    /// Called without a lock when the ask ends before it is answered completely, perhaps before `start`.
    func cancel()
}

/// Makes the answer to an ask for contents of this program; nil if they have no such promise. It is called while `core`
/// is held, and the answer is started after unlocking.
package typealias Answerer = @Sendable (AskFields, StreamReference) -> (any AskWork)?

// Answers. Nothing is done once the ask is over.
extension StreamReference {
    /// Answers with all bytes, as far as credit and the socket allow.
    ///
    /// - Parameter goOn: called without a lock if bytes are left, with the number of those that were sent.
    package func answer(
        _ bytes: @escaping OutgoingBytes,
        count: Int,
        orElse goOn: @escaping @Sendable (_ sent: Int) -> Void
    ) {
        connection.changeSoon { [slot, serial] core in
            guard core.streams.isUse(serial, of: slot) else { return }
            // A few bytes are a single frame, whose length is the size.
            if count > WireLimits.sharedDataLength {
                core.io.state.answer(core.streams.slots[slot].stream, byteCount: UInt64(count))
            }
            var sent = 0
            if core.send(bytes, from: &sent, isLast: true, on: slot) { return core.streams.finishAnswer(slot) }
            core.streams.act { [sent] in goOn(sent) }
        }
    }

    /// Answers with a descriptor: the bytes are the first `byteCount` of the file.
    ///
    /// - Parameter path: the path of the file, if others may open it there.
    /// - Returns: false if the ask accepts none; then the bytes are to be sent.
    package func answer(_ file: DescriptorBox, byteCount: UInt64, path: String?, fileName: String?) -> Bool {
        use { core, stream in
            let isPassed = core.io.pass(file, byteCount: byteCount, path: path, fileName: fileName, on: stream)
            if isPassed { core.streams.finishAnswer(slot) }
            return isPassed
        } ?? true
    }

    /// Ends the answer: with a failure, or because all bytes were sent.
    package func endAnswer(_ failure: Failure? = nil) {
        use { core, stream in
            if let failure { core.io.state.fail(stream, failure) } else { core.io.state.end(stream) }
            core.streams.finishAnswer(slot)
        }
    }
}

extension BrokerConnection {
    /// Returns when the answers for contents were sent, at a time (see `MonotonicClock`), or if the task is cancelled.
    ///
    /// - Parameter handle: that of the contents; nil: all.
    package func answersEnded(of handle: UInt64? = nil, until deadline: UInt64) async {
        // A process created by fork has no loop that ends the wait.
        guard loop.isInOwner else { return }
        let place = BrokerStream(
            change { core in
                let slot = core.place()
                core.streams.limit(slot, to: deadline)
                core.streams.watch(handle.map { .contents($0) } ?? .all, from: slot)
                return slot
            },
            of: self
        )
        while place.hasAnswers, !Task.isCancelled { await place.wait(for: .quiet) }
        await place.sent()
    }
}
