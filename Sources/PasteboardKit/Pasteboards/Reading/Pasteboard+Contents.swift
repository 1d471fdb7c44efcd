import PasteboardClient
import PasteboardWire

extension Pasteboard {
    /// The contents of a pasteboard at one moment.
    public struct Contents: Sendable {
        /// The change count of these contents.
        public let changeCount: ChangeCount
        /// The number of times that items or representations were added to these contents, or promises were lost with
        /// their source. The change count does not change by that.
        public let version: UInt64
        /// The items, in the writer's order. Their loads are bound to these contents: after these have been replaced, a
        /// new load fails with `superseded` and never returns newer contents. After the broker was lost, a load finds
        /// the same contents at the next broker, once they are there again.
        public let items: [PasteboardItem]
        /// The name of the program that wrote the contents, as that program reported it. Display it, but do not trust
        /// it.
        public let ownerLabel: String?
        /// The process that wrote the contents, as the kernel reported it; nil for an empty pasteboard. It may have
        /// ended, and its number may belong to another process now.
        public let ownerProcess: Int32?
        /// The time since the contents were written; nil for an empty pasteboard.
        public let age: Duration?
        /// The flags and the lifetime that the writer has set.
        public let terms: Terms

        init(_ listing: BoardListing, of board: String, connection: PasteboardConnection, live: LiveConnection) {
            let contents = listing.contents
            changeCount = ChangeCount(value: contents.changeCount, epoch: contents.epoch)
            version = contents.version ?? 0
            ownerLabel = contents.ownerLabel
            ownerProcess = contents.ownerProcess.map { Int32(clamping: $0) }
            age = contents.milliseconds.map { .milliseconds(Int64(clamping: $0)) }
            terms = Terms(contents.terms)
            let listed = ContentsName(handle: contents.handle, board: (board, changeCount.value))
            items = listing.items.enumerated().map { index, item in
                PasteboardItem(
                    item,
                    at: index,
                    of: listed,
                    connection: connection,
                    live: live
                )
            }
        }
    }

    /// Lists the items and their change count, as one consistent view. It loads nothing.
    ///
    /// For an empty pasteboard it returns no items, without an error. If the pasteboard is empty soon after the
    /// broker's keeper has started it, after a crash or for a takeover, the call first waits up to 2 s for sources to
    /// promise their contents again. After an orderly end of the broker, and at a broker that a program embeds, it does
    /// not wait.
    ///
    /// - Parameter timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: the error of the broker or the connection; `timeout`; `cancelled` if the task is cancelled.
    public func contents(timeout: Duration? = nil) async throws(PasteboardError) -> Contents {
        try await contents(for: Call("the list of contents", timeout: timeout))
    }

    /// Lists the items as ``contents(timeout:)`` does, as a part of another call.
    func contents(for call: Call) async throws(PasteboardError) -> Contents {
        try await recovering(for: call) { (live) throws(PasteboardError) in
            try await contents(at: live, for: call)
        }
    }

    func contents(at live: LiveConnection, for call: Call) async throws(PasteboardError) -> Contents {
        var operation = ListOperation(name.rawValue, settles: live.expectsReclaims)
        while true {
            let request = Question.request(of: operation)
            var step: ListOperation.Step?
            do throws(PasteboardError) {
                (operation, step) = try await request.answer(over: live, for: call)
            } catch {
                step = operation.failed(ErrorCode(rawValue: error.code.rawValue))
                if step == nil { throw error }
            }
            if case .listed(let listing) = step {
                return Contents(listing, of: name.rawValue, connection: connection, live: live)
            }
            // Ends a watch. A list has ended.
            live.cancel(request)
        }
    }

    /// Lists the items if the pasteboard has a change count.
    ///
    /// - Throws: `superseded`, with both change counts, if it has another one.
    func contents(
        ifChangeCount: ChangeCount?,
        at live: LiveConnection,
        for call: Call
    ) async throws(PasteboardError) -> Contents {
        let contents = try await contents(at: live, for: call)
        if let ifChangeCount, contents.changeCount != ifChangeCount {
            throw PasteboardError(
                .superseded,
                message: "pasteboard \(name.rawValue) is at change count \(contents.changeCount), not "
                    + "\(ifChangeCount); it was changed in the meantime"
            )
        }
        return contents
    }
}

extension Pasteboard {
    /// The flags and the lifetime of contents, as their writer has set them with ``WriteOptions``.
    public struct Terms: Sendable, Hashable {
        /// Whether the contents are secret.
        public let isConcealed: Bool
        /// Whether the contents will soon be replaced or cleared.
        public let isTransient: Bool
        /// Whether no person chose to copy the contents.
        public let isAutogenerated: Bool
        /// Whether the contents stay on this machine.
        public let isLocalOnly: Bool
        /// The time until the broker clears the contents; nil if they do not expire.
        public let expiresIn: Duration?
        /// The number of loads that are left, of the item that has most; nil if it is not limited.
        public let loadsLeft: Int?
        /// The types by which other systems mark contents with these flags.
        let hintTypes: [UniformType]

        init(_ terms: ContentTerms?) {
            isConcealed = terms?.isConcealed ?? false
            isTransient = terms?.isTransient ?? false
            isAutogenerated = terms?.isAutogenerated ?? false
            isLocalOnly = terms?.isLocalOnly ?? false
            expiresIn = terms?.expiresMilliseconds.map { .milliseconds(Int64(clamping: $0)) }
            loadsLeft = terms?.maximumLoads.map { Int($0) }
            hintTypes = terms?.hintTypes.map { UniformType(importedAs: $0) } ?? []
        }
    }
}
