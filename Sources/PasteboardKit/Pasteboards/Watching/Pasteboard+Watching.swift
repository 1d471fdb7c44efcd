import PasteboardWire

extension Pasteboard {
    /// A new state of a pasteboard, as a watch reports it. Nothing was loaded for it.
    public struct Change: Sendable {
        /// The name of the pasteboard.
        public let name: Name
        /// The change count of the new state.
        public let changeCount: ChangeCount
        /// The number of additions to these contents, of losses of promises, and of failures of a last permitted load
        /// (``WriteOptions/maximumLoads``). If the change count is that of the change before, this number has grown.
        public let version: UInt64
        /// The number of items; 0 if the pasteboard is empty or if this program may see none.
        public let itemCount: Int
        /// The types of all items, each once, in the order of the items.
        public let types: [UniformType]
        /// The name of the program that wrote the contents, as that program reported it.
        public let ownerLabel: String?
        /// The process that wrote the contents, as the kernel reported it.
        public let ownerProcess: Int32?
        /// The flags and the lifetime that the writer has set.
        public let terms: Terms
        /// The number of change counts between the change before and this one; nil if it is not known, because the
        /// broker has been restarted. For ``PasteboardConnection/changes()``, the changes of all pasteboards count.
        public let missed: Int?

        /// Whether the pasteboard has no items that this program may see.
        public var isEmpty: Bool { itemCount == 0 }

        init(_ change: PasteboardWire.Change, of board: String?) {
            name = Name(change.board ?? board ?? BoardName.general)
            changeCount = ChangeCount(value: change.changeCount, epoch: change.epoch)
            version = change.version ?? 0
            itemCount = change.handle == nil ? 0 : Int(change.itemCount ?? 0)
            types = change.types.map { UniformType(importedAs: $0) }
            ownerLabel = change.ownerLabel
            ownerProcess = change.ownerProcess.map { Int32(clamping: $0) }
            terms = Terms(change.terms)
            missed = change.missed.map { Int(clamping: $0) }
        }
    }

    /// The changes of a pasteboard, or of all, each with its newest state. See ``Pasteboard/changes(since:)`` and
    /// ``PasteboardConnection/changes()``.
    public struct Changes: AsyncSequence, Sendable {
        let connection: PasteboardConnection
        /// nil for all pasteboards.
        let pasteboard: Pasteboard?
        let changeCount: ChangeCount?

        /// Waits for the changes, one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let reader: ChangeReader

            /// Waits for the next change. After an error it returns nil.
            ///
            /// - Throws: as ``Pasteboard/changes(since:)`` says.
            public mutating func next() async throws(PasteboardError) -> Change? {
                try await reader.next(for: Call("the watch of the pasteboard"))
            }

            /// Waits for the next change. After an error it returns nil.
            ///
            /// - Throws: as ``Pasteboard/changes(since:)`` says.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(PasteboardError) -> Change? {
                try await reader.next(for: Call("the watch of the pasteboard"))
            }
        }

        /// Makes an iterator, which is a watch of its own. The watch begins with the first call of `next`.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: ChangeReader(pasteboard, over: connection, since: changeCount))
        }
    }

    /// Watches the pasteboard: the sequence has a change for each write and clear, and for each addition to the
    /// contents and loss of promises.
    ///
    /// A reader that is slower than the changes gets fewer of them: each describes the newest state, and
    /// ``Change/missed`` counts the others. The last change always arrives. A watch loads nothing, and so runs no
    /// handler of a source.
    ///
    /// ```swift
    /// for try await change in Pasteboard.general.changes() where !change.terms.isTransient {
    ///     print(change.changeCount, change.types)
    /// }
    /// ```
    ///
    /// Leaving the loop or cancelling the task ends the watch. If the connection is lost, the watch waits for the next
    /// broker and continues after the last change that it has reported. Contents that come back there are no change.
    /// Closing the connection ends it with an error.
    ///
    /// - Parameter changeCount: the last change count that the program knows. If the pasteboard has another one, the
    ///   first change follows at once. nil: only changes after the beginning of the iteration are reported.
    /// - Returns: a sequence that throws `cancelled` if the task is cancelled, and otherwise the error of the broker or
    ///   the connection.
    public func changes(since changeCount: ChangeCount? = nil) -> Changes {
        Changes(connection: connection, pasteboard: self, changeCount: changeCount)
    }

    /// Waits for one change.
    ///
    /// - Parameters:
    ///   - changeCount: the last change count that the program knows, as in ``changes(since:)``.
    ///   - timeout: the maximum time to wait, which includes connecting; nil: any time.
    /// - Throws: `timeout` if there was no change by then; otherwise as ``changes(since:)``.
    public func nextChange(
        since changeCount: ChangeCount? = nil,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Change {
        let reader = ChangeReader(self, over: connection, since: changeCount)
        let call = Call("the wait for a change", timeout: timeout)
        guard let change = try await reader.next(for: call) else { throw call.cancelled }
        return change
    }
}

extension PasteboardConnection {
    /// Watches all pasteboards, also those that appear later, as ``Pasteboard/changes(since:)`` watches one.
    ///
    /// The changes are in the order of the last change of each pasteboard.
    ///
    /// A reader that is slower than the changes gets one change of each pasteboard that has changed. A broker remembers
    /// only so many of the pasteboards that are empty again: a reader that is later still does not get their changes.
    ///
    /// After a lost connection the sequence continues as that of one pasteboard does. Contents that the next broker
    /// does not have, and that are not written there again, are not reported as lost. A change that was not reported
    /// before the loss, and whose contents come back, is not reported either.
    ///
    /// ```swift
    /// for try await change in PasteboardConnection.shared.changes() {
    ///     print(change.name.rawValue, change.changeCount)
    /// }
    /// ```
    ///
    /// - Returns: a sequence that also throws `versionMismatch` if the broker cannot do this.
    public func changes() -> Pasteboard.Changes {
        Pasteboard.Changes(connection: self, pasteboard: nil, changeCount: nil)
    }
}
