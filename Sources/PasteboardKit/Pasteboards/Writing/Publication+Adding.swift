import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension Publication {
    /// Adds items after the others. The change count stays; ``Pasteboard/Contents/version`` grows.
    ///
    /// Programs that have listed the contents before find the items when they list the contents again.
    ///
    /// - Parameters:
    ///   - providers: the items, as for a write. The contents have at most 512.
    ///   - keeps: the representations whose handlers run now.
    ///   - timeout: the maximum duration of the call; by default as for a write.
    /// - Throws: `superseded` if the ownership was lost. In all other respects as for a write.
    public func add(
        _ providers: [ItemProvider],
        keeps: Pasteboard.KeptRepresentations = .nothing,
        timeout: Duration? = nil
    ) async throws(PasteboardError) {
        let items = try Pasteboard.promises(of: providers)
        try await add(keeps: keeps, timeout: timeout) { (count) throws(PasteboardError) in
            Array(repeating: ProviderContents(), count: count) + items
        }
    }

    /// Adds the representations of a provider to an item, as its last ones. The change count stays;
    /// ``Pasteboard/Contents/version`` grows.
    ///
    /// - Parameters:
    ///   - provider: the representations. The item must not have one of their types yet.
    ///   - index: the index of the item: 0 for the first item of the write.
    ///   - keeps: the representations whose handlers run now.
    ///   - timeout: the maximum duration of the call; by default as for a write.
    /// - Throws: `invalid-argument` if there is no such item or if it would have a type twice; `superseded` if the
    ///   ownership was lost. In all other respects as for a write.
    public func add(
        _ provider: ItemProvider,
        toItemAt index: Int,
        keeps: Pasteboard.KeptRepresentations = .nothing,
        timeout: Duration? = nil
    ) async throws(PasteboardError) {
        let items = try Pasteboard.promises(of: [provider])
        try await add(keeps: keeps, timeout: timeout) { (count) throws(PasteboardError) in
            guard (0..<count).contains(index) else {
                throw PasteboardError(
                    .invalidArgument,
                    message: "nothing can be added to item \(index) of the contents, because they have \(count) items"
                )
            }
            return Array(repeating: ProviderContents(), count: index) + items
        }
    }

    /// - Parameter make: makes the items of the request from the number of items of the publication. An item without
    ///   representations changes nothing.
    private func add(
        keeps: Pasteboard.KeptRepresentations,
        timeout: Duration?,
        _ make: (_ count: Int) throws(PasteboardError) -> [ProviderContents]
    ) async throws(PasteboardError) {
        let call = Call("the addition to the contents", timeout: timeout)
        try pasteboard.connection.checkProcess()
        let (items, order) = (contents.items, contents.additions)
        // The request contains the number of items, which another addition would change.
        try await order.acquire(for: call)
        let stream: BrokerStream
        do {
            let placement = try await contents.current(for: call)
            let added = try make(items.all.count)
            var writing = ItemWriting(items: added, keeps: keeps, live: placement.connection, call: call)
            writing.committing = { items.beginAdding(added) }
            var write = Write()
            write.handle = placement.committed.handle
            write.requires = [Feature.additions.rawValue]
            stream = try await writing.send { [write] state throws(Failure) in try state.open(write) }
        } catch {
            order.release()
            throw call.error(of: error)
        }
        try await stream.added(for: call) { isMade in
            items.endAdding(isMade: isMade, keeping: keeps)
            order.release()
        }
    }
}

extension BrokerStream {
    /// Returns when the broker has answered an addition whose commit is on its way.
    ///
    /// The broker may have made it although the call ends before the answer. So the answer is awaited nevertheless:
    /// later asks and additions count its items.
    ///
    /// - Parameter end: called with whether the broker has added the items, also if the call has failed before.
    consuming func added(for call: Call, _ end: @escaping @Sendable (Bool) -> Void) async throws(PasteboardError) {
        removeDeadline()
        let stream = Lock<BrokerStream?>(self)
        let answer = PendingResult<Void>()
        Task.detached(executorPreference: ThreadPool.calls) {
            guard let stream = stream.withLock({ $0.take() }) else { return }
            do throws(RequestFailure) {
                try await stream.published().leave()
                end(true)
                answer.resolve(.success(()))
            } catch {
                end(false)
                answer.resolve(.failure(call.error(of: error)))
            }
        }
        try await answer.value(for: call)
    }
}
