import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Loads bytes from a pasteboard.
struct PasteCommand: Command {
    static let syntax = CommandSyntax(
        "paste",
        "writes the contents of a pasteboard to standard output or to files",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the requested type; may be repeated, best first"),
            .board, .primary,
            .init("--item", value: "N", "the item, counted from 1"),
            .init(
                "--output",
                short: "-o",
                value: "FILE",
                "writes FILE when all bytes have arrived; '-' is standard output"
            ),
            .init("--into", value: "DIR", "writes each item to a new file or directory in DIR, and prints its path"),
            .init("--force", "with --into, replaces files and directories that have the names of the items"),
            .init("--timeout", value: "DURATION", "the maximum duration of the wait and the loads together"),
            .init("--trim-newline", short: "-n", "omits one newline at the end"),
            .init("--newline", "adds a newline after text"),
            .init("--raw", "writes any bytes to a terminal, unchanged"),
            .init("--wait", "waits until there is something to paste, of the requested type"),
            .ifChange, .quiet, .label, .json,
        ],
        notes: """
            Without -t the type is text if there is any, otherwise the first type of the item. With -o FILE the type of
            FILE's extension is preferred; a note says if the contents are of another type. With --into it is the first
            type of each item. A type includes the types that conform to it; of text, plain text is preferred.

            Without --item and -t the first item is pasted. With -t it is the first item that has the type, and with
            --into all items that have it.

            \(TypeArgument.help)

            Bytes are written as they arrive, and unchanged. Only text is written to a terminal: control characters are
            shown as ^X, other unsafe bytes as \\xNN, and a newline is added if the text does not end with one, unless
            -n is given; with --raw any bytes are written, unchanged. A file appears only when all bytes have arrived.
            An earlier file of that name remains until then, and a command that is killed leaves no partial file.

            With --into a file is named after its item. \(DirectoryOutput.help) With -o a new file has the permissions
            of the file that was copied, and an existing file keeps its own.

            If writing a file takes longer than a second, the progress is shown on standard error if that is a terminal.

            With --into a folder is recreated: names, permissions as far as the umask allows, links and modification
            times. Otherwise a folder is pasted as a tar archive of its tree, also with -t tar, and not to a terminal.

            Ends with 1 if there is nothing to paste, or nothing of the requested type. Without a broker every
            pasteboard is empty; a broker is started only with --wait, or if contents are on the disk.

            With --wait it ends with 7 if --timeout ends the wait; contents whose source has ended count as nothing.
            --json prints one line for each item: its type, bytes, name and path, and the change count; on standard
            error if the bytes go to standard output. With --into it replaces the line with the path.

            With --if-change it ends with 6 if the pasteboard has another change count. When run by 'pasteboard watch --
            ...', it ends with 6 for contents that are sensitive or can be pasted a limited number of times. If the
            broker crashes and the contents do not come back at the next one, it ends with 3.
            """
    )

    private let board: String
    private let types: PasteTypes
    private let item: UInt32?
    private let output: SystemString?
    private let directory: SystemString?
    private let timeout: TimeoutArgument?
    /// The time at which the timeout is over (see `MonotonicClock`).
    private let end: UInt64
    private let isForced: Bool
    private let trimsNewline: Bool
    private let addsNewline: Bool
    private let isRaw: Bool
    private let isQuiet: Bool
    private let waits: Bool
    private let ifChangeCount: UInt64?
    private let line = ProgressLine()
    private let state = State()

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        let requested = try arguments.values("--type").flatMap(TypeArgument.types)
        item = try arguments.value("--item").map(Self.index)
        output = try arguments.path("--output").flatMap { $0 == "-" ? nil : $0 }
        directory = try arguments.path("--into")
        types = PasteTypes(requested: requested, output: output, isIntoDirectory: directory != nil)
        timeout = try arguments.value("--timeout").map(TimeoutArgument.init)
        end = Invocation.current.deadline
        isForced = arguments.has("--force")
        trimsNewline = arguments.has("--trim-newline")
        addsNewline = arguments.has("--newline")
        isRaw = arguments.has("--raw")
        isQuiet = arguments.has("--quiet")
        waits = arguments.has("--wait")
        ifChangeCount = try arguments.changeCount()
        guard !waits || ifChangeCount == nil else {
            throw CommandFailure(usage: "options --wait and --if-change cannot be combined")
        }
        guard requested.count <= WireLimits.accepts else {
            throw CommandFailure(
                usage: "-t names \(requested.count) types; at most \(WireLimits.accepts) are allowed"
            )
        }
        guard directory == nil || !arguments.has("--output") else {
            throw CommandFailure(usage: "options --output and --into cannot be combined")
        }
        guard directory != nil || !isForced else {
            throw CommandFailure(usage: "option --force requires --into; -o FILE replaces FILE in any case")
        }
        guard !addsNewline || directory == nil && output == nil else {
            throw CommandFailure(usage: "--newline has no effect on files; omit it")
        }
        for (option, path) in [("--output", output), ("--into", directory)] where path?.isEmpty ?? false {
            throw CommandFailure(usage: "the path of \(option) is empty")
        }
    }

    private static func index(_ text: String) throws -> UInt32 {
        guard let number = UInt32(text), number > 0 else {
            throw CommandFailure(usage: "invalid item number '\(text)'; the first item is 1")
        }
        return number - 1
    }

    func run() throws -> CInt {
        guard var connection = try waits ? Broker.startingOne() : Broker.holding(until: end) else {
            throw ifChangeCount == nil ? Failure.empty(board, cleared: nil) : Broker.noChangeCount(of: board)
        }
        let watch = try waits ? watch(over: connection) : nil
        defer { watch?.end() }
        if let watch { connection = watch.connection }
        var attempts = 10
        while true {
            do {
                do {
                    return try run(connection)
                } catch let failure as Failure where maySettle(failure) {
                    guard try hasReturned(to: connection) else { throw failure }
                }
            } catch let failure as Failure where canRetry(failure) && attempts > 0 {
                // The contents were replaced after they were listed: the new ones are wanted.
                attempts -= 1
            } catch let failure as Failure where isLost(failure, connection) {
                if let next = try connectionAfterLoss(of: connection) {
                    connection = next
                } else {
                    connection = try connectionAfterChange(watch, failure)
                }
            } catch let failure as Failure where isEmpty(failure) {
                connection = try connectionAfterChange(watch, failure)
            }
        }
    }

    /// Waits until the pasteboard has other contents, or until there is another broker.
    ///
    /// - Throws: `failure`, if the command does not wait; `timeout` if its time is over.
    private func connectionAfterChange(_ watch: BoardWatch?, _ failure: Failure) throws -> BlockingConnection {
        guard let watch else { throw failure }
        let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
        // A signal has to end a load that writes no file, also while it waits for the reader of a pipe.
        defer { signals.unblock() }
        guard try watch.mayHaveChanged(until: end, watching: signals) else {
            guard !isQuiet else { throw CommandFailure(exitCode: CommandFailure.exitCode(of: .timeout), nil) }
            throw Failure(.timeout, "\(failure.text), and the time of --timeout is over")
        }
        // From now on other contents than the lost ones are pasted, too.
        state.required = nil
        return watch.connection
    }

    private func watch(over connection: BlockingConnection) throws -> BoardWatch {
        try BoardWatch([board], over: connection, until: end, command: Self.syntax.name, reconnects: true)
    }

    /// Whether a load failed because its broker ended or is ending, before anything was pasted. Then it is made once
    /// more, or any number of times with `--wait`.
    private func isLost(_ failure: Failure, _ connection: BlockingConnection) -> Bool {
        Reconnection.mayRepeat(after: failure, of: connection, isRepeatable: true) && !state.hasBegun
            && (waits || !state.wasLost)
    }

    /// Waits until the contents of the load that was lost are back, as long as their source has time to write them
    /// again. If the broker has ended before it identified its contents, any contents count. No broker is started for
    /// it.
    ///
    /// - Returns: nil if they have not come back, or other contents have.
    private func connectionAfterLoss(of connection: BlockingConnection) throws -> BlockingConnection? {
        let listed = state.listed
        state.wasLost = true
        state.required = listed
        let deadline = min(end, MonotonicClock.deadline(milliseconds: Int(WireLimits.settlingTime)))
        // After an announced end another broker has the socket already, or there will be none.
        guard try connection.io.loss == .crashed || Broker.isRunning(until: deadline) else { return nil }
        let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
        defer { signals.unblock() }
        let interest = PollInterest(signals.raw, .readable)
        while MonotonicClock.now() < deadline {
            do {
                let (connection, ready) = try state.reconnection.attempt(watching: [interest], until: deadline)
                if !ready[0].isEmpty { try signals.check() }
                guard let connection else { continue }
                let change = try BoardWatch.contents(of: board, over: connection, until: deadline, watching: signals)
                guard let change else { return nil }
                return listed == nil || Identity(change.changeCount, change.epoch) == listed ? connection : nil
            } catch let failure as Failure {
                // Another broker may follow one that has ended. The failure of the load says more than any other.
                guard CommandFailure.exitCode(of: failure.code) == 3 else { return nil }
            }
        }
        return nil
    }

    /// Whether contents of an earlier broker may be missing only because their source has not connected again. Then a
    /// pasteboard has another change count, too.
    private func maySettle(_ failure: Failure) -> Bool {
        !waits && !state.hasSettled && !state.hasBegun
            && (failure.code == .nothingHere || failure.code == .superseded && ifChangeCount != nil)
    }

    /// Waits for contents of an earlier broker whose source may still connect again.
    ///
    /// - Returns: whether the pasteboard has contents now.
    private func hasReturned(to connection: BlockingConnection) throws -> Bool {
        state.hasSettled = true
        let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
        defer { signals.unblock() }
        let change = try BoardWatch.returningContents(of: board, over: connection, until: end, watching: signals)
        return change != nil
    }

    private func canRetry(_ failure: Failure) -> Bool {
        failure.code == .superseded && ifChangeCount == nil && !state.hasBegun
    }

    /// Whether there is nothing to paste. Promises of a source that has ended count as nothing.
    private func isEmpty(_ failure: Failure) -> Bool {
        CommandFailure.exitCode(of: failure.code) == 1 || failure.code == .sourceGone && waits && !state.hasBegun
    }

    private func run(_ connection: BlockingConnection) throws -> CInt {
        if state.required == nil { state.listed = nil }
        if let directory { return try run(into: directory, connection) }

        let sink: any PasteSink =
            if let output {
                FileOutput(path: output)
            } else if System.isTerminal(1), !isRaw {
                TerminalOutput(endsLine: !trimsNewline, isQuiet: isQuiet)
            } else {
                PlainOutput(addsNewline: addsNewline)
            }
        var load = Load()
        load.board = board
        load.item = item ?? 0
        load.accepts = types.accepts
        load.ifChangeCount = ifChangeCount
        if ifChangeCount != nil { load.requires = [Feature.condition.rawValue] }
        do {
            // The list has the mode for a file, and the supertypes that decide whether a terminal shows the type.
            // Otherwise only its change count is of interest, and only if the broker is lost: then it is sent together
            // with the load.
            let isListed = !(sink is PlainOutput) || state.required != nil || Invocation.current.isJSON
            let listing = isListed ? try list(connection) : nil
            load.handle = listing?.contents.handle
            let sent = try listing == nil ? connection.io.state.open(boardList) : nil
            do {
                try perform(load, of: listing, connection, to: sink) {
                    note(about: $0, $1, item: 0)
                }
            } catch {
                if let sent { state.note(connection.takeKept(of: sent)) }
                throw error
            }
        } catch let failure as Failure where failure.code == .typeUnavailable && item == nil {
            // In most cases the first item has the type, so the items are listed only now.
            let listing = try list(connection)
            let item = try types.indices(among: listing.items)[0]
            load.board = nil
            load.ifChangeCount = nil
            load.requires = []
            load.handle = listing.contents.handle
            load.item = item
            try perform(load, of: listing, connection, to: sink) {
                note(about: $0, $1, item: item)
            }
        }
        return 0
    }

    private func note(about answer: Answer, _ type: UniformType, item: UInt32) {
        if self.item == nil, let count = answer.itemCount, count > 1 {
            note("this is item \(UInt64(item) + 1) of \(count); see --item and --into")
        }
        if answer.isArchive {
            if let output, output.bytes.suffix(4) != Array(".tar".utf8)[...] {
                note("\(output) is a tar archive of the folder; --into DIR pastes its tree")
            }
        } else if types.isOpen, let output, let wanted = types.ofOutput.first,
            !types.ofOutput.contains(where: type.conforms)
        {
            note(
                "the item has no representation of type \(wanted); \(output) contains \(UniformType.readable(type.identifier))"
            )
        }
    }

    private func note(_ text: String) {
        if !isQuiet { StandardStreams.note("pasteboard: paste: \(text)") }
    }

    private var boardList: List {
        var list = List()
        list.board = board
        return list
    }

    /// The contents of the pasteboard.
    private func list(_ connection: BlockingConnection) throws -> BoardListing {
        let listing = try connection.list(boardList, until: end)
        let identity = Identity(listing.contents.changeCount, listing.contents.epoch)
        if let required = state.required, identity != required {
            let text = "the broker ended during the load, and pasteboard \(board) has other contents now"
            throw Failure(.brokerRestarted, text)
        }
        if listing.contents.handle != nil { state.listed = identity }
        if let ifChangeCount, listing.contents.changeCount != ifChangeCount {
            let count = listing.contents.changeCount ?? 0
            throw Failure(.superseded, "pasteboard \(board) is at change count \(count), not \(ifChangeCount)")
        }
        guard listing.contents.handle != nil, !listing.items.isEmpty else {
            throw Failure.empty(board, cleared: listing.contents.clearedMilliseconds)
        }
        return listing
    }

    private func run(into directory: SystemString, _ connection: BlockingConnection) throws -> CInt {
        // Checked before anything is loaded.
        do {
            _ = try System.open(directory, .directory)
        } catch {
            throw CommandFailure("cannot use directory", directory, error)
        }
        WorkingName.removeLeftovers(in: directory)
        let listing = try list(connection)
        let chosen =
            if let item {
                [item]
            } else if types.isOpen {
                listing.items.indices.map { UInt32(clamping: $0) }
            } else {
                try types.indices(among: listing.items)
            }
        for item in chosen {
            var load = Load()
            load.handle = listing.contents.handle
            load.item = item
            load.accepts = types.wanted
            let output = DirectoryOutput(directory: directory) { isForced && !state.paths.contains($0) }
            try perform(load, of: listing, connection, to: output) { _, _ in }
        }
        return 0
    }

    private func perform(
        _ load: Load,
        of listing: BoardListing?,
        _ connection: BlockingConnection,
        to sink: any PasteSink,
        answered: (Answer, UniformType) -> Void
    ) throws {
        var load = load
        load.preference = .acceptList
        // No person asks for what the command of a watch loads.
        if WatchedCommand.isAncestor { load.isAutomatic = true }
        if let items = listing?.items, let item = Int(exactly: load.item ?? 0), items.indices.contains(item),
            let representation = PasteTypes.choice(of: load.accepts, in: items[item])
        {
            let type = UniformType(identifier: representation.type, supertypes: representation.supertypes)
            try sink.check(type, isArchive: representation.content == .folderArchive)
        }
        if let timeout {
            let left = end == .max ? timeout.loadMilliseconds : UInt64(MonotonicClock.millisecondsLeft(until: end))
            guard left > 0 || end == .max else { throw Failure(.timeout, "the time of --timeout is over") }
            load.timeoutMilliseconds = left
        }
        var trimmer = trimsNewline ? NewlineTrimmer() : nil
        var report = PasteReport(board, listing?.contents.changeCount, item: load.item ?? 0, path: output)
        var total: UInt64?
        var count: UInt64 = 0
        defer { line.finish() }
        // A signal has to be handled if an unfinished file must be removed; otherwise it just ends the process.
        let signals = try sink.leavesFile ? SignalBox([SIGINT, SIGTERM, SIGHUP]) : nil
        do {
            try connection.load(
                load,
                interruptedBy: signals?.raw,
                answered: { answer in
                    total = answer.byteCount
                    let listed = listing?.items.representation(of: answer)
                    let type = UniformType(
                        identifier: answer.type ?? UniformType.data.identifier,
                        supertypes: listed?.supertypes ?? []
                    )
                    state.hasBegun = true
                    report.take(answer, listed)
                    answered(answer, type)
                    try sink.begin(
                        type,
                        isArchive: answer.isArchive,
                        suggestedName: answer.suggestedName,
                        file: listed?.file
                    )
                },
                file: { file in
                    count = file.byteCount
                    try sink.write(file, trimsNewline: trimsNewline) {
                        try signals?.check()
                        guard sink.leavesFile, let position = sink.descriptor.flatMap({ try? System.position(of: $0) })
                        else { return }
                        line.show("pasted", position, of: total)
                    }
                },
                bytes: { bytes in
                    if let trimmed = trimmer?.next(bytes) {
                        try sink.write(trimmed.span)
                    } else {
                        try sink.write(bytes)
                    }
                    count += UInt64(bytes.count)
                    if sink.leavesFile { line.show("pasted", count, of: total) }
                }
            )
        } catch {
            sink.endLine()
            try signals?.check()
            throw error
        }
        if let path = try sink.finish() {
            state.paths.insert(path)
            report.path = path
            if !Invocation.current.isJSON { try StandardStreams.print(path: path) }
        }
        report.byteCount = count
        // Bytes on standard output must not be mixed with the report.
        let isApart = output == nil && directory == nil
        if Invocation.current.isJSON { try StandardStreams.print(json: report.json, to: isApart ? 2 : 1) }
    }
}

/// The contents of a pasteboard, by numbers that each broker knows.
private struct Identity: Equatable {
    let changeCount: UInt64?
    let epoch: UInt64?

    init(_ changeCount: UInt64?, _ epoch: UInt64?) {
        self.changeCount = changeCount
        self.epoch = epoch
    }
}

/// The state of a paste in a reference, so that closures and methods that do not mutate can change it.
private final class State {
    /// Whether a load was answered.
    var hasBegun = false
    /// The files and folders that were written. None of them is replaced by a later item of the same name.
    var paths: Set<SystemString> = []
    /// The contents that the present load has listed; nil before that, or if the pasteboard was empty.
    var listed: Identity?
    /// Whether the command has waited for contents of an earlier broker.
    var hasSettled = false
    /// Whether the broker was lost, and another connection was made.
    var wasLost = false
    /// The contents that a load is made once more from, after it has lost its broker.
    var required: Identity?
    /// The attempts to connect after a loss. Shared by all losses, so that contents whose load ends the broker are
    /// loaded again after growing delays.
    var reconnection = Reconnection { try Broker.running(until: $0) }

    /// Takes the answer to a list that was sent together with a load.
    func note(_ events: [ClientEvent]) {
        for case .contents(_, let contents) in events where contents.handle != nil {
            listed = Identity(contents.changeCount, contents.epoch)
        }
    }
}
