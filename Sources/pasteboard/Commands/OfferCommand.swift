import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Promises the output of commands, or the contents of files and folders. The commands run and the files are read only
/// when another program pastes.
struct OfferCommand: Command {
    static let syntax = CommandSyntax(
        "offer",
        "promises files or the output of commands, made at each paste",
        operands: "[FILE ...]",
        options: [
            .init("--type", short: "-t", value: "TYPE=COMMAND", "the output of 'sh -c COMMAND'; repeatable"),
            .init("--type", short: "-t", value: "TYPE", "the type of all FILEs"),
            .board, .primary,
            .init("--name", value: "NAME", "a file name for the program that pastes"),
            .title,
            .init("--keep-on-exit", "hands the bytes to the broker at the end"),
            .init("--background", "returns when there is something to paste"),
            .init("--verbose", short: "-v", "prints one line for each load"),
            .init("--timeout", value: "DURATION", "the maximum time until it can be pasted"),
        ] + ContentOptions.options + [.label, .json],
        broker: .started,
        examples: """
            pasteboard offer -t text=date               # the time of each paste
            pasteboard offer report.pdf photos          # read when somebody pastes
            pasteboard offer --background -t tar='tar c photos' --name photos.tar
            """,
        exit: "0 when the contents are replaced or cleared, or if --keep-on-exit has kept everything",
        notes: """
            Each FILE becomes one item. It is opened now and read when another program pastes. The tree of a directory
            is read at that time. Each load runs the command again, up to 16 at once, in the current directory. If it fails, the load fails with its last line of standard error.

            \(TypeArgument.contents)

            The earlier contents are not restored when the offer ends. If the broker is stopped, or crashes during an
            offer with --once, the offer ends with 3; otherwise it continues with the next broker.

            With --keep-on-exit the first signal makes it run all commands and read all files, within 5 s and 64 MiB,
            and the broker keeps the bytes. A second signal ends it at once. With --background it prints the process id,
            and messages of -v go to the log.

            \(ContentOptions.help)
            """
    )

    private let board: String
    /// The item whose bytes are the output of commands; nil for FILEs.
    private let commands: InputItem?
    private let inputs: InputArguments?
    private let isInBackground: Bool
    private let keepsOnExit: Bool
    let isVerbose: Bool
    private let options: ContentOptions

    init(_ arguments: ParsedArguments) throws {
        options = try ContentOptions(arguments)
        isInBackground = arguments.has("--background")
        keepsOnExit = arguments.has("--keep-on-exit")
        isVerbose = arguments.has("--verbose")
        board = try arguments.board()
        let (name, title) = (try arguments.value("--name"), try arguments.title())
        guard arguments.operands.isEmpty else {
            commands = nil
            inputs = try InputArguments(arguments, of: Self.syntax.name)
            return
        }
        inputs = nil
        let offers = try TypeArgument.giving(arguments.bytes("--type")).map { argument in
            guard let command = argument.origin else {
                let type = argument.spelling
                throw CommandFailure(usage: "missing command for type '\(type)'; write -t '\(type)=COMMAND'")
            }
            return (type: argument.type, origin: AskOrigin.command(command, type: argument.type.identifier))
        }
        guard !offers.isEmpty else {
            throw CommandFailure(usage: "nothing to offer; write FILE, or -t TYPE=COMMAND")
        }
        try InputArguments.check(offers.count, for: Self.syntax.name)
        commands = InputItem(name: name, title: title, representations: offers)
    }

    func run(on loop: Loop) async throws -> CInt {
        guard !isInBackground else { return try BackgroundOffer.start(Array(System.arguments.dropFirst())) }
        let isJSON = Invocation.current.isJSON
        return try await run(on: loop) { if isJSON { try StandardStreams.print($0) } }
    }

    /// - Parameter registered: called when the contents can be pasted, with the result as a line: JSON, or the id of
    ///   this process.
    func run(on loop: Loop, registered: (String) throws -> Void) async throws -> CInt {
        _ = System.raiseDescriptorLimit()
        let items = try inputs?.items() ?? commands.map { [$0] } ?? []
        for input in items.lazy.flatMap(\.inputs) where !input.isPromisable {
            throw CommandFailure(
                usage: "cannot offer \(input.name), because it can be read only once; use 'pasteboard copy'"
            )
        }
        var options = options
        options.applyHints(in: items.lazy.flatMap(\.representations).map(\.type.identifier))
        guard !keepsOnExit || !options.isConcealed else {
            throw CommandFailure(
                usage: "--keep-on-exit cannot be used for sensitive contents, which end with the offer; omit it"
            )
        }
        let brokers = try Brokers.startingOne(on: loop, streams: ServedItems.maximumAsks)
        let promises = try InputItem.writeItems(items, for: Welcome(), isConcealed: options.isConcealed).map(\.message)
        let served = ServedItems(
            promises,
            items.map { $0.representations.map(\.origin.promised) },
            on: loop,
            report: isVerbose ? { @Sendable text in StandardStreams.remark(text) } : nil
        )
        let offer = Offer(options.write(to: board), promises, at: brokers) { ask in try await served.answer(ask) }
        var replaced: String?
        let committed = try await offer.place { replaced = try await contents($0) }
        // From here on commands may run; a signal has to end them together with this process.
        let signals = try SignalBox()
        StandardStreams.note("offering \(Self.text(of: promises)) on \(board)")
        committed.note()
        if let replaced { StandardStreams.remark("replaced \(replaced)") }
        let process = System.processID
        let json = committed.json(of: board, process: process)
        try registered(Invocation.current.isJSON ? json.line : "\(process)\n")
        CommandLineTool.outliveDeadline()
        do {
            try await StandingOffer(offer, served, signals, keepsOnExit: keepsOnExit).run()
            brokers.end()
            await served.stop()
            return 0
        } catch {
            // As if this process had ended: loads that are under way fail because their source is gone.
            brokers.end()
            await served.stop()
            throw error
        }
    }

    /// The contents of the pasteboard in words; nil if it is empty.
    private func contents(_ connection: BrokerConnection) async throws -> String? {
        let listing = try await connection.listing(of: board, settles: false)
        guard let item = listing.items.first else { return nil }
        let count = listing.items.count.counted("item")
        let owner = TextTable.program(listing.contents.ownerLabel, listing.contents.ownerProcess)
        let types = item.representations.map { UniformType.readable($0.type) }.joined(separator: ", ")
        return "\(count) of \(owner): \(types)" + (listing.items.count == 1 ? "" : ", ...")
    }

    private static func text(of items: [Item]) -> String {
        guard let first = items.first, items.count == 1 else { return "\(items.count) items" }
        return first.representations.map { UniformType.readable($0.type) }.joined(separator: ", ")
    }
}
