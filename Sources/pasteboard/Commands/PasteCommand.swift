import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Loads bytes from a pasteboard.
struct PasteCommand: Command {
    static let syntax = CommandSyntax(
        "paste",
        "writes the contents to standard output or files",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the requested type; repeatable, best first"),
            .board, .primary,
            .init("--item", value: "N", "the item, counted from 1"),
            .init("--output", short: "-o", value: "FILE", "writes FILE when all bytes have arrived"),
            .init("--into", value: "DIR", "writes each item to DIR, and prints its path"),
            .namePattern,
            .init("--force", "with --into, replaces files and directories"),
            .init("--timeout", value: "DURATION", "the maximum duration, with the output"),
            .init("--trim-newline", short: "-n", "omits one newline at the end"),
            .init("--newline", "adds a newline after text"),
            .lf, .crlf,
            .init("--raw", "writes any bytes to a terminal, unchanged"),
            .init("--wait", "waits until there is something to paste"),
            .ifChange, .quiet, .label, .json,
        ],
        broker: .started,
        examples: """
            pasteboard paste
            pasteboard paste -t png -o shot.png
            pasteboard paste --into in                  # all items, as files
            pasteboard paste --wait --timeout 1m
            """,
        exit: """
            0 if all bytes were written; 1 if there is nothing of the requested type, or an item can be pasted no more; 6 if --if-change does not hold, \
            or for secrets in the command of a watch; 7 if --timeout ends the wait
            """,
        notes: """
            Without -t the type is text if there is any, otherwise the first type of the item. With -o FILE the type of
            FILE's extension is preferred; with --into it is the first type of each item. A type includes the types that
            conform to it. -t text gives plain text if there is any, in UTF-8. -t with a type of another encoding gives
            the bytes unchanged. Without --item and -t the first item is pasted. With -t it is the first item that has
            the type, and with --into all items that have it.

            Only text is written to a terminal: control characters are shown as ^X, other unsafe bytes as \\xNN. A file
            appears only when all bytes have arrived; until then, an earlier one of that name remains.

            \(DirectoryOutput.help) A folder becomes a tar archive, except with --into, which also copies the files of a
            list (text/uri-list) that was copied with pasteboard on this machine.

            Without a broker every pasteboard is empty; one is started only with --wait, or if contents are on the disk.
            """
    )

    let board: String
    let types: PasteTypes
    private let item: UInt32?
    let output: SystemString?
    let directory: SystemString?
    let timeout: TimeoutArgument?
    /// The time at which the timeout is over (see `MonotonicClock`).
    let end: UInt64
    private let isForced: Bool
    private let pattern: String?
    private let textOptions: TextFilter.Options
    /// Whether all text becomes UTF-8, also without -t.
    var convertsText = false
    private let isRaw: Bool
    private let waits: Bool
    private let ifChangeCount: UInt64?
    let line = ProgressLine()
    let signals = PasteSignals()

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        let requested = try TypeArgument.accepted("--type", shown: "-t", of: arguments)
        item = try arguments.value("--item").map(Self.index)
        output = try arguments.path("--output").flatMap { $0 == "-" ? nil : $0 }
        directory = try arguments.path("--into")
        types = PasteTypes(requested: requested, output: output, isIntoDirectory: directory != nil)
        timeout = try arguments.value("--timeout").map(TimeoutArgument.init)
        end = Invocation.current.deadline
        isForced = arguments.has("--force")
        pattern = try arguments.value("--name")
        textOptions = try arguments.textOptions()
        isRaw = arguments.has("--raw")
        waits = arguments.has("--wait")
        ifChangeCount = try arguments.changeCount()
        guard !waits || ifChangeCount == nil else {
            throw CommandFailure(usage: "options --wait and --if-change cannot be combined")
        }
        guard directory == nil || !arguments.has("--output") else {
            throw CommandFailure(usage: "options --output and --into cannot be combined")
        }
        guard directory != nil || pattern == nil else {
            throw CommandFailure(usage: "option --name requires --into; -o FILE names the file")
        }
        guard directory != nil || !isForced else {
            throw CommandFailure(usage: "option --force requires --into; -o FILE replaces FILE in any case")
        }
        guard !textOptions.addsNewline || directory == nil && output == nil else {
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

    func run(on loop: Loop) async throws -> CInt {
        do {
            return try await paste(on: loop)
        } catch {
            try signals.box?.check()
            throw error
        }
    }

    private func paste(on loop: Loop) async throws -> CInt {
        guard waits else {
            guard let brokers = try await Brokers.holding(on: loop, until: end) else {
                throw ifChangeCount == nil ? Failure.empty(board, cleared: nil) : Failure.noChangeCount(of: board)
            }
            return try await brokers.recovering { try await paste(from: $0) }
        }
        var missing: Failure?
        do {
            return try await pasteWhenPresent(from: Brokers.startingOne(on: loop)) { missing = $0 }
        } catch  where MonotonicClock.isOver(end) {
            guard let missing, !Invocation.current.isQuiet else {
                throw missing == nil ? error : CommandFailure(exitCode: CommandFailure.exitCode(of: .timeout), nil)
            }
            throw Failure(.timeout, "\(missing.text), and the time of --timeout is over")
        }
    }

    /// Pastes as soon as there is something to paste.
    ///
    /// - Parameter waits: called with the reason before each wait for other contents, or for another broker.
    private func pasteWhenPresent(from brokers: Brokers, waits: (Failure) -> Void) async throws -> CInt {
        var connection: BrokerConnection?
        return try await brokers.watching(WatchOperation(board)) { event in
            if case .began(let begun) = event { connection = begun }
            guard let connection else { return nil }
            do {
                return try await paste(from: connection)
            } catch let error as RequestFailure {
                guard error.reached != .bytes else { throw error.failure }
                switch error.loss {
                // The watch begins again at the next broker.
                case .crashed, .refused: throw error
                case .replaced: return nil
                default:
                    // The promises of a source that has ended count as nothing.
                    let code = error.failure.code
                    guard code == .sourceGone || CommandFailure.exitCode(of: code) == 1 else { throw error.failure }
                    waits(error.failure)
                    return nil
                }
            } catch let failure as Failure where CommandFailure.exitCode(of: failure.code) == 1 {
                waits(failure)
                return nil
            }
        }
    }

    /// Pastes from the contents that the pasteboard has now.
    private func paste(from connection: BrokerConnection) async throws -> CInt {
        do {
            if let directory {
                try await paste(into: directory, connection)
            } else {
                try await paste(to: sink, connection)
            }
            return 0
        } catch let error as RequestFailure where error.failure.code == .superseded && ifChangeCount == nil {
            // The contents were replaced after they were listed: the new ones are wanted.
            throw RequestFailure(error.failure, .replaced, at: error.reached)
        }
    }

    private var sink: any PasteSink {
        if let output { return FileOutput(path: output) }
        return showsText ? TerminalOutput(endsLine: !textOptions.trimsNewline) : PlainOutput()
    }

    /// Whether the bytes go to a terminal, which gets only text in UTF-8.
    private var showsText: Bool { output == nil && directory == nil && System.isTerminal(1) && !isRaw }

    /// The changes to text of a type.
    func textOptions(for type: UniformType) -> TextFilter.Options {
        var options = textOptions
        if showsText { options.addsNewline = false }
        options.convertsToUTF8 = showsText || convertsText || types.asksForUTF8(answeredBy: type)
        return options
    }

    private func paste(to sink: any PasteSink, _ connection: BrokerConnection) async throws {
        // The list has the mode for a file, and the supertypes that decide whether a terminal shows the type.
        if sink is PlainOutput, !Invocation.current.isJSON {
            var load = Load(nil, item: item ?? 0, accepts: types.accepts)
            load.board = board
            load.ifChangeCount = ifChangeCount
            if ifChangeCount != nil { load.requires = [Feature.condition.rawValue] }
            do {
                try await perform(load, of: nil, connection, to: sink) { note(about: $0, $1, item: 0) }
                return
            } catch let error as RequestFailure where isListed(after: error, connection) {
                // In most cases the first item has the type, so the items are listed only now.
            }
        }
        let listing = try await list(connection)
        func pasteListed(_ item: UInt32) async throws {
            let load = Load(listing.contents.handle, item: item, accepts: types.accepts)
            try await perform(load, of: listing, connection, to: sink) { note(about: $0, $1, item: item) }
        }
        do {
            try await pasteListed(item ?? 0)
        } catch let error as RequestFailure
            where error.failure.code == .typeUnavailable && item == nil && error.reached != .bytes
        {
            let others = Result { try types.indices(among: listing.items)[0] }
            if case .failure = others, let type = types.requested.first(where: FileList.types.contains),
                let list = FileList(of: listing.items)
            {
                return try paste(list.bytes(as: type), of: type, listing, to: sink)
            }
            try await pasteListed(try others.get())
        }
    }

    /// Pastes bytes that are made here from the list of the contents.
    private func paste(
        _ bytes: [UInt8],
        of type: UniformType,
        _ listing: BoardListing,
        to sink: any PasteSink
    ) throws {
        let received = ReceivedItem(0, to: sink, changing: textOptions)
        var answer = Answer()
        answer.type = type.identifier
        try received.begin(answer, of: [])
        try received.write(bytes.span)
        try report(received, of: listing, at: received.finish())
    }

    /// Whether a load without a list has failed because another item has the type, or because contents of an earlier
    /// broker have not come back yet. Then a pasteboard has another change count, too.
    private func isListed(after error: RequestFailure, _ connection: BrokerConnection) -> Bool {
        switch error.failure.code {
        // A load that was answered counts.
        case .typeUnavailable: item == nil && error.reached != .bytes
        case .nothingHere: maySettle(connection)
        case .superseded: ifChangeCount != nil && maySettle(connection)
        default: false
        }
    }

    private func maySettle(_ connection: BrokerConnection) -> Bool {
        !waits && connection.welcome.settlingMilliseconds != nil
    }

    private func paste(into directory: SystemString, _ connection: BrokerConnection) async throws {
        // Checked before anything is loaded.
        _ = try explaining("cannot use directory", directory) { try System.open(directory, .directory) }
        WorkingName.removeLeftovers(in: directory)
        let listing = try await list(connection)
        let chosen =
            if let item {
                [item]
            } else if types.isOpen {
                listing.items.positionsOfFiles.map { UInt32(clamping: $0) }
            } else {
                try types.indices(among: listing.items)
            }
        // An item that was pasted as often as it may be does not keep the others back.
        var used: [String] = []
        var isFirst = true
        let target = OutputDirectory(directory, isForced: isForced, pattern: pattern)
        for item in chosen {
            let listed = listing.items.dropFirst(Int(item)).first
            let isList = types.isOpen && listed?.isListOfFiles == true
            if types.isOpen, !isList, listed?.hasListOfFiles == true {
                StandardStreams.remark(
                    "a list of files is pasted as text, because its paths may be those of another machine"
                )
            }
            let load = Load(listing.contents.handle, item: item, accepts: isList ? FileList.accepts : types.wanted)
            let output = DirectoryOutput(in: target)
            do {
                try await perform(load, of: listing, connection, to: isList ? ListedFiles(output) : output) { _, _ in }
            } catch let error as RequestFailure {
                if error.failure.code == .nothingHere, chosen.count > 1 {
                    used.append("item \(UInt64(item) + 1): \(error.failure.text)")
                } else {
                    // The earlier items are not pasted again.
                    throw isFirst ? error : RequestFailure(error.failure, error.loss, at: .bytes)
                }
            }
            isFirst = false
        }
        if !used.isEmpty { throw Failure(.nothingHere, used.joined(separator: "; ")) }
    }

    /// The contents of the pasteboard. A paste that waits does so with its watch.
    private func list(_ connection: BrokerConnection) async throws -> BoardListing {
        let listing = try await connection.listing(of: board, settles: !waits, until: end)
        if let ifChangeCount, listing.contents.changeCount != ifChangeCount {
            let count = listing.contents.changeCount ?? 0
            throw Failure(.superseded, "pasteboard \(board) is at change count \(count), not \(ifChangeCount)")
        }
        guard listing.contents.handle != nil, !listing.items.isEmpty else {
            throw Failure.empty(board, cleared: listing.contents.clearedMilliseconds)
        }
        return listing
    }

    private func note(about answer: Answer, _ type: UniformType, item: UInt32) {
        if self.item == nil, let count = answer.itemCount, count > 1 {
            StandardStreams.remark("this is item \(UInt64(item) + 1) of \(count); see --item and --into")
        }
        if answer.isArchive {
            if let output, output.bytes.suffix(4) != Array(".tar".utf8)[...] {
                StandardStreams.remark("\(output) is a tar archive of the folder; --into DIR pastes its tree")
            }
        } else if types.isOpen, let output, let wanted = types.ofOutput.first,
            !types.ofOutput.contains(where: type.conforms)
        {
            StandardStreams.remark(
                "the item has no representation of type \(wanted); \(output) contains \(UniformType.readable(type.identifier))"
            )
        }
    }
}
