import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The ownership of contents that this program wrote to a pasteboard. Releasing it has no effect while the connection
/// is referenced.
public final class Publication: Sendable, CustomStringConvertible {
    /// The way in which the ownership was lost, as ``outcome()`` returns it.
    public enum Outcome: Sendable {
        /// A program wrote to the pasteboard.
        case replaced
        /// A program cleared the pasteboard.
        case cleared
        /// The time that ``Pasteboard/WriteOptions/expiresAfter`` has set is over.
        case expired
        /// Every load that ``Pasteboard/WriteOptions/maximumLoads`` allows was made.
        case loaded
        /// All contents were handed over to the broker, with ``Publication/handOver(types:maximumByteCount:timeout:)``.
        case handedOver
        /// The connection to the broker was closed, or was lost and the contents cannot be restored.
        case brokerGone
        /// This program has withdrawn the contents, with ``Publication/withdraw(drainTimeout:)`` or by cancelling
        /// ``Publication/run(drainTimeout:)``.
        case withdrawn
    }

    /// The change count of these contents.
    public var changeCount: ChangeCount { ChangeCount(committed) }
    /// The pasteboards that the broker cleared to make room for these contents, at most 64. Their programs had ended.
    /// Set ``Pasteboard/WriteOptions/evictsOthers`` to false to prevent this.
    public var clearedPasteboards: [Pasteboard.Name] { committed.clearedBoards.map { Pasteboard.Name($0) } }
    /// Whether the bytes that the broker keeps end with it, because the file system in memory for saved contents was
    /// full or missing when they were written. False for promises, which their source restores.
    public var isUnsaved: Bool { committed.isUnsaved == true }

    /// The pasteboard, the change count, and how the ownership was lost.
    public var description: String {
        "\(pasteboard): change count \(changeCount), \(contents.end.value.map { "\($0)" } ?? "current")"
    }

    private let committed: Committed
    let contents: PublishedContents
    /// Keeps the connection, and a unique pasteboard.
    let pasteboard: Pasteboard

    init(_ committed: Committed, _ contents: PublishedContents, of pasteboard: Pasteboard) {
        self.committed = committed
        self.contents = contents
        self.pasteboard = pasteboard
    }

    /// Whether the pasteboard still has these contents, as far as this process knows. The property does not ask the
    /// broker.
    public var isCurrent: Bool { contents.end.value == nil && !contents.offer.hasEnded }

    /// Waits until the ownership is lost. Loads that have begun by then still finish.
    ///
    /// - Throws: `cancelled`, at once, if the task is cancelled before that; the publication remains.
    public func outcome() async throws(PasteboardError) -> Outcome {
        try pasteboard.connection.checkProcess()
        return try await contents.end.value(for: Call("the wait for the publication's end", besides: "the publication"))
    }

    /// Waits until the ownership is lost. It keeps neither the connection nor a unique pasteboard.
    package var waitForEnd: @Sendable () async -> Void {
        { [contents] in _ = try? await contents.end.value(for: Call("the wait for the publication's end")) }
    }

    /// Waits until the ownership is lost and every load of these contents has ended. After that the program may exit:
    /// no destination waits for it. A handler whose load was cancelled may still be running.
    ///
    /// Cancelling the task withdraws the contents, as ``withdraw(drainTimeout:)`` does.
    ///
    ///     let publication = try await Pasteboard.general.write(providers)
    ///     print("ended:", await publication.run())
    ///
    /// - Parameter drainTimeout: the time that loads which are under way have after the task was cancelled.
    /// - Returns: the way in which the ownership was lost; `withdrawn` if the task was cancelled before that.
    public func run(drainTimeout: Duration = .seconds(5)) async -> Outcome {
        if (try? await outcome()) == nil {
            // In a new task: this one is cancelled, and `withdraw()` would throw.
            await Task { try? await withdraw() }.value
        }
        let loads = Task { [contents] in await contents.answersEnded() }
        let timer = Lock<Task<Void, Never>?>(nil)
        await withTaskCancellationHandler {
            await loads.value
        } onCancel: {
            let started = LoadDeadline(drainTimeout).timer { loads.cancel() }
            timer.withLock { $0 = started }
        }
        timer.withLock(\.self)?.cancel()
        // If the broker has refused to clear the pasteboard, the promises end nevertheless.
        if isCurrent { contents.endPromises() }
        return contents.end.value ?? .withdrawn
    }

    /// Clears the pasteboard if it still has these contents. Newer contents stay, so the call does nothing after the
    /// ownership is lost. Loads that have begun still finish while this program runs, and ``outcome()`` returns
    /// `withdrawn`.
    ///
    /// - Parameter drainTimeout: the maximum time for which the call waits until the loads that are under way have
    ///   ended, so that the program can exit after it.
    /// - Throws: the error of the broker or the connection; `cancelled` if the task is cancelled: then the contents may
    ///   have been withdrawn or not.
    public func withdraw(drainTimeout: Duration = .zero) async throws(PasteboardError) {
        try await endOwnership()
        guard drainTimeout > .zero else { return }
        await contents.answersEnded(by: LoadDeadline(drainTimeout))
        if Task.isCancelled { throw Call("the withdrawal of the publication").cancelled }
    }

    private func endOwnership() async throws(PasteboardError) {
        try pasteboard.connection.checkProcess()
        // Contents that are not restored yet need not be cleared.
        contents.withdrawIfLost()
        guard isCurrent, let live = contents.offer.last?.connection else { return }
        let call = Call("the withdrawal of the publication")
        try call.check()
        var clear = Clear()
        clear.board = pasteboard.name.rawValue
        try clear.setCondition(changeCount, of: pasteboard.name, live)
        contents.withdraws(true)
        do throws(RequestFailure) {
            _ = try await live.clear(clear)
        } catch {
            contents.withdraws(false)
            // If the pasteboard has changed or the connection is lost, the result of the publication shows that.
            guard error.failure.code == .superseded || live.isOver else { throw call.error(of: error) }
            contents.withdrawIfLost()
        }
        _ = try await contents.end.value(for: call)
    }
}
