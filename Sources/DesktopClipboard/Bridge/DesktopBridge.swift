package import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Synchronizes boards with the selections of a desktop session: what is copied on one side is promised on the other,
/// and its bytes move when somebody pastes.
package struct DesktopBridge: Sendable {
    package struct Options: Sendable {
        package var selections = Selection.allCases
        /// Whether contents of the desktop are kept when their program ends.
        package var keeps = false
        /// Promises the files of a list; nil if only the list crosses.
        package var promiseFiles: DesktopFiles.Promising?
        /// Called with a line about each event.
        package var report: @Sendable (String) -> Void = { _ in }
        /// Called with a line about what the user should know.
        package var note: @Sendable (String) -> Void = { _ in }

        package init() {}
    }

    /// The end of the bridge because its broker was stopped, or refuses it.
    package struct BrokerLost: Error {
        package let reason: any Error
    }

    private let display: any DesktopDisplay
    private let boards: [Selection: DesktopBoard]
    private let loop: Loop

    /// - Parameter isRemote: whether programs on other machines use the display, which must not get local contents.
    package init(_ display: any DesktopDisplay, isRemote: Bool = false, _ brokers: Brokers, _ options: Options) {
        self.display = display
        loop = brokers.loop
        let pastes = BoardContents.LastPastes()
        boards = Dictionary(
            uniqueKeysWithValues: options.selections.map {
                ($0, DesktopBoard($0, of: display, isRemote: isRemote, brokers, options, pastes))
            }
        )
    }

    /// Serves both sides until one of them is lost. At the end it clears each board that still has contents of a
    /// program of the desktop, with what was kept of them.
    ///
    /// - Throws: the reason; `BrokerLost` if the broker was stopped, or refuses the bridge; `cancelled` if the task is
    ///   cancelled.
    package func run() async throws {
        let end = Mailbox<any Error>(on: loop)
        @Sendable func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
            Task(executorPreference: loop) {
                do {
                    try await body()
                } catch {
                    end.put(error)
                }
            }
        }
        var tasks = [start(display.run), start(distribute)]
        for board in boards.values { tasks.append(start(board.run)) }
        let failure = await end.next()
        for task in tasks { task.cancel() }
        // A write that is under way still makes an offer.
        for task in tasks { await task.value }
        for board in boards.values { await board.end() }
        throw failure ?? Failure(.cancelled, "the bridge was cancelled")
    }

    private func distribute() async throws {
        while let event = await display.events.next() {
            let selection: Selection
            switch event {
            case .changed(let changed, _), .emptied(let changed, _), .saving(let changed, _): selection = changed
            }
            boards[selection]?.put(event)
        }
    }
}
