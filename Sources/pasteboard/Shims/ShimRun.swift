import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Carries out the request of one of the programs with the commands of this program.
struct ShimRun {
    private let program: ShimProgram
    private let arguments: [SystemString]
    private let request: ShimRequest

    init(_ program: ShimProgram, _ arguments: [SystemString]) throws {
        self.program = program
        self.arguments = arguments
        request = try ShimRequest(arguments, for: program)
        // None of these programs prints notes.
        Invocation.current.isQuiet = true
    }

    /// Runs one of the programs with the arguments of this process, and returns its exit code.
    static func run(_ program: ShimProgram) -> CInt {
        do {
            try System.checkArguments()
            return try Loop.run { try await ShimRun(program, System.arguments).run(on: $0) }
        } catch {
            let failure = CommandFailure(error)
            if let text = failure.text {
                for line in ["\(program.rawValue): \(text)"] + failure.detail { StandardStreams.report(line) }
            }
            // All of these programs end with 1 for any failure. Codes from 126 on are those of signals and of commands.
            return failure.exitCode == 2 || failure.exitCode >= ProgramPath.cannotBeRun ? failure.exitCode : 1
        }
    }

    private func run(on loop: Loop) async throws -> CInt {
        let actions = request.actions.isEmpty ? Self.actionsByTerminal : request.actions
        if actions.contains(.help) { try StandardStreams.print(help) }
        if actions.contains(.version) {
            try StandardStreams.print("\(program.rawValue) of pasteboard \(ProgramVersion.current)\n")
        }
        if actions.contains(.watch) { return try await watch(on: loop) }
        if actions.contains(.types) || actions.contains(.output) {
            let lists = actions.contains(.types) || request.types == [ShimTypes.list]
            let code = try await output(lists: lists, loop)
            guard code == 0 else { return code }
        }
        if actions.contains(.clear) {
            try await clear(on: loop)
        } else if actions.contains(.input) {
            try await input(on: loop)
        }
        if actions.contains(.keep) { for board in ["primary", "secondary"] { try await keep(board, loop) } }
        return 0
    }

    /// The actions of `xsel` without an option for one.
    private static var actionsByTerminal: Set<ShimRequest.Action> {
        let (isInputTerminal, isOutputTerminal) = (System.isTerminal(0), System.isTerminal(1))
        let input: Set<ShimRequest.Action> = isInputTerminal ? [] : [.input]
        return isInputTerminal || !isOutputTerminal ? input.union([.output]) : input
    }

    private var help: String {
        let options = ShimOption.table.filter { $0.programs.contains(program) }
        let rows = options.map { "  \($0.names.joined(separator: ", "))\($0.takesValue ? " VALUE" : "")\n" }
        return """
            usage: \(program.rawValue) [OPTION ...]

            This is pasteboard under the name of \(program.rawValue). Supported options:

            \(rows.joined())
            The article "Command reference" of pasteboard says how they differ from the original.

            """
    }

    private func clear(_ arguments: String..., on loop: Loop) async throws {
        let command = try ClearCommand(parsed(["--board", request.board] + arguments, for: ClearCommand.self))
        _ = try await command.run(on: loop)
    }

    private func parsed(_ arguments: [String], for command: any Command.Type) throws -> ParsedArguments {
        try ParsedArguments(arguments.map { SystemString($0) }, for: command.syntax)
    }

    // MARK: Output

    /// Prints the contents or their types.
    private func output(lists: Bool, _ loop: Loop) async throws -> CInt {
        do {
            guard lists else { return try await paste(from: request.board, loop) }
            return try await BoardListing.print(request.board, on: loop) { listing in
                (program == .xclip ? "\(ShimTypes.list)\n" : "") + ShimTypes.lines(of: listing)
            }
        } catch let failure as Failure where CommandFailure.exitCode(of: failure.code) == 1 {
            return reportMissing(isEmpty: failure.code == .nothingHere)
        }
    }

    /// Reports an empty pasteboard or a missing type in the words of the program, and returns its exit code.
    private func reportMissing(isEmpty: Bool) -> CInt {
        if let inferred = inferredTypes.first, !isEmpty {
            let name = inferred.names.first ?? inferred.identifier
            StandardStreams.report("Clipboard content is not available as inferred output type \"\(name)\"")
            StandardStreams.report(
                "Use \"wl-paste --list-types\" to view available types. Use \"--type\" to explicitly specify a type."
            )
            return 1
        }
        switch (program, request.types.first) {
        case (.xclip, let type):
            StandardStreams.report("Error: target \(type ?? "STRING") not available")
        case (.wlPaste, let type?) where !isEmpty:
            StandardStreams.report("Clipboard content is not available as requested type \"\(type)\"")
        case (.wlPaste, _):
            StandardStreams.report("Nothing is copied")
        default:
            return 0
        }
        return 1
    }

    /// The types that the name of the output file suggests to `wl-paste`.
    private var inferredTypes: [UniformType] {
        program == .wlPaste && request.types.isEmpty ? Self.types(ofFileAt: 1) : []
    }

    /// The types that the name of the file behind a descriptor can have.
    private static func types(ofFileAt descriptor: CInt) -> [UniformType] {
        let path = try? System.linkTarget("/proc/self/fd/\(descriptor)")
        return path.map { FileType.declaredTypes(forFileNamed: $0.description) } ?? []
    }

    /// Prints the contents, as text if the program can print nothing else.
    ///
    /// - Throws: the failure of `paste`, also for a type that cannot exist.
    private func paste(from board: String, ifChangeCount: UInt64? = nil, _ loop: Loop) async throws -> CInt {
        let inferred = inferredTypes
        let isText = program == .wlPaste ? inferred.contains(where: \.isText) : request.types.isEmpty
        let spellings = request.types + inferred.map(\.identifier) + (isText ? ["text"] : [])
        let types = spellings.compactMap(ShimTypes.argument)
        guard !types.isEmpty || spellings.isEmpty else {
            throw Failure(.typeUnavailable, "unknown type '\(spellings[0])'")
        }
        var arguments = ["--board", board] + types.map { "--type=\($0)" }
        if let ifChangeCount { arguments.append("--if-change=\(ifChangeCount)") }
        if request.trimsNewline, !request.appends { arguments.append("--trim-newline") }
        if request.endsLine { arguments.append("--newline") }
        if let timeout = request.timeout { arguments.append("--timeout=\(timeout)ms") }
        var command = try PasteCommand(parsed(arguments, for: PasteCommand.self))
        command.convertsText = types.isEmpty
        do {
            return try await command.run(on: loop)
        } catch let failure as CommandFailure where failure.exitCode == 2 {
            throw CommandFailure(usage: "cannot write contents that are not text to a terminal; use a pipe or a file")
        }
    }

    /// A file with what `body` prints.
    private func file(_ body: () async throws -> CInt) async throws -> MemoryFile {
        let file = try MemoryFile()
        let output = DescriptorBox(try System.duplicate(1))
        try System.duplicate(file.descriptor.raw, onto: 1)
        defer { try? System.duplicate(output.raw, onto: 1) }
        _ = try await body()
        return file
    }

    // MARK: Input

    private func input(on loop: Loop) async throws {
        try makeInput()
        // All input has been read, so a signal is not delayed by it. It waits until the copy is done.
        let blocked = try request.staysInForeground ? SignalBox() : nil
        let brokers = try Brokers.startingOne(on: loop)
        let committed = try await request.appends ? append(at: brokers) : copy(to: request.board, loop)
        guard blocked != nil else { return }
        let signals = try SignalBox(interrupting: loop)
        do {
            let watch = WatchOperation(
                request.board,
                sinceChangeCount: committed.changeCount,
                epoch: committed.epoch
            )
            try await brokers.watching(watch) { if case .changed = $0 { () } else { nil } }
        } catch {
            guard let signal = try signals.next() else { throw error }
            // The contents end with the process. This task is cancelled.
            let clear = Clear(request.board, ifChangeCount: committed.changeCount ?? 0)
            _ = try? await Task(executorPreference: loop) {
                try await brokers.recovering(Recovery(.change)) { try await $0.clear(clear) }
            }.value
            throw CommandFailure.signaled(signal)
        }
    }

    /// Appends standard input to the text of the board. If another program changes the board meanwhile, it is appended
    /// to the new text. Other items remain.
    private func append(at brokers: Brokers) async throws -> Committed {
        let bytes = try System.bytes(of: 0, from: 0, count: Int(clamping: System.status(of: 0).size))
        let options = try ContentOptions(parsed(copyArguments(request.board), for: CopyCommand.self))
        return try await brokers.recovering(Recovery(.change)) { connection in
            try await PresentContents.change(request.board, options, over: connection) { listing in
                let text = PasteTypes(requested: [.text], output: nil, isIntoDirectory: false)
                let index = try? text.indices(among: listing.items).first.map(Int.init)
                let file = try await self.file {
                    guard index != nil else { return 0 }
                    let changeCount = listing.contents.changeCount
                    return try await paste(from: request.board, ifChangeCount: changeCount, brokers.loop)
                }
                try file.append(bytes.span)
                if request.trimsNewline { try file.trimNewline() }
                try file.seal()
                let item = WriteItem(
                    Item(suggestedName: nil),
                    representations: [(Representation(of: .utf8PlainText), .memory(file))]
                )
                var items = try await PresentContents.items(of: listing, connection, without: index)
                items.insert(item, at: index ?? 0)
                return items
            }
        }
    }

    /// The arguments of the copy, without types.
    private func copyArguments(_ board: String) -> [String] {
        var arguments = ["--board", board]
        if let loads = request.loads { arguments.append("--loads=\(loads)") }
        if let timeout = request.timeout { arguments.append("--ttl=\(timeout)ms") }
        if request.isSensitive { arguments.append("--sensitive") }
        return arguments
    }

    /// Copies standard input.
    private func copy(to board: String, _ loop: Loop) async throws -> Committed {
        var arguments = copyArguments(board)
        // Only wl-copy finds out the type, by the name and the contents of its input, and not for words.
        let isFound = program == .wlCopy && request.operands.isEmpty
        let named = isFound ? Self.types(ofFileAt: 0) : []
        let type = request.types.first ?? (isFound ? nil : "text") ?? (named.count == 1 ? named[0].identifier : nil)
        if let type {
            guard let argument = ShimTypes.argument(type) else {
                throw CommandFailure(usage: "unknown type '\(type)'; write a MIME type, or a name without '/' and '='")
            }
            arguments.append("--type=\(argument)")
        }
        let alternative = try MemoryFile()
        if let text = request.alternative {
            try alternative.append(Array(text.utf8).span)
            try System.rewind(alternative.descriptor.raw)
            arguments.append("--type=text=/dev/fd/\(alternative.descriptor.raw)")
        }
        return try await CopyCommand(parsed(arguments, for: CopyCommand.self)).copy(on: loop)
    }

    /// Replaces standard input by a file with the bytes to copy, unless they can be read later and unchanged.
    private func makeInput() throws {
        let isChanged = request.appends || request.trimsNewline || !request.operands.isEmpty
        guard isChanged || request.printsInput || request.staysInForeground else { return }
        let file = try MemoryFile()
        if program == .wlCopy, !request.operands.isEmpty {
            let words = Array(request.operands.map(\.bytes).joined(separator: " ".utf8))
            try file.append(words.span)
        } else {
            for path in request.operands.isEmpty ? ["-"] : request.operands { try append(path, to: file) }
        }
        if request.trimsNewline, !request.appends { try file.trimNewline() }
        if request.printsInput {
            // In pieces, so that the contents are not in memory twice.
            try PassedFile(descriptor: file.descriptor, byteCount: file.size, isImmutable: false)
                .forEachChunk { try StandardStreams.write($0) }
        }
        try use(file)
    }

    private func append(_ path: SystemString, to file: MemoryFile) throws {
        do {
            let input = path == "-" ? nil : DescriptorBox(try System.open(path))
            while true {
                let bytes = try System.read(input?.raw ?? 0, upTo: 64 << 10)
                guard !bytes.isEmpty else { return }
                try file.append(bytes.span)
            }
        } catch {
            throw CommandFailure(local: "\(path == "-" ? "standard input" : path): \(error.reason)")
        }
    }

    /// Makes a file standard input.
    private func use(_ file: MemoryFile) throws {
        try System.rewind(file.descriptor.raw)
        try System.duplicate(file.descriptor.raw, onto: 0)
    }

    /// Copies the promised contents of a board, with their flags, so that they outlive their program.
    private func keep(_ board: String, _ loop: Loop) async throws {
        let listing = try await BoardListing.present(on: board, loop)
        let provisions = listing.items.lazy.flatMap(\.representations).map(\.provision)
        guard provisions.contains(.promised), listing.contents.terms?.maximumLoads == nil else { return }
        let options = try ContentOptions(parsed(["--board", board], for: CopyCommand.self))
        _ = try await Brokers.startingOne(on: loop).recovering(Recovery(.change)) { connection in
            try await PresentContents.change(board, options, over: connection) {
                try await PresentContents.items(of: $0, connection)
            }
        }
    }

    // MARK: Watch

    private func watch(on loop: Loop) async throws -> CInt {
        // Otherwise its absence would be reported for each change, forever.
        _ = try ProgramPath.find(request.operands.first ?? "")
        let options = ["--board", request.board, "--since", "0", "--"].map { SystemString($0) }
        let role = [SystemString(try System.programPath()), SystemString(WatchedPasteCommand.syntax.name), "--"]
        let command = try WatchCommand(ParsedArguments(options + role + arguments, for: WatchCommand.syntax))
        return try await command.run(on: loop)
    }

    /// Runs the command of a watch with the contents as its standard input, which is empty if there are none, or none
    /// for programs that paste without a user. With a requested type it does not run for contents that lack it.
    fileprivate func runWatched(on loop: Loop) async throws -> CInt {
        var file = try MemoryFile()
        do {
            file = try await self.file { try await paste(from: request.board, loop) }
        } catch let failure as Failure where [1, 6].contains(CommandFailure.exitCode(of: failure.code)) {
            guard request.types.isEmpty || failure.code == .nothingHere else { return 0 }
        }
        try System.rewind(file.descriptor.raw)
        var configuration = ChildProcess.Configuration(
            path: try ProgramPath.find(request.operands.first ?? ""),
            arguments: Array(request.operands.dropFirst())
        )
        configuration.input = .descriptor(file.descriptor.raw)
        // Without a requested type, the variable keeps the value from the watch.
        if try file.size > 0, let type = request.types.first, ShimTypes.argument(type) != "text",
            let name = UniformType.fromName(type)?.names.first
        {
            let others = configuration.environment.filter { !$0.hasPrefix("\(WatchedCommand.typeVariable)=") }
            configuration.environment = others + ["\(WatchedCommand.typeVariable)=\(name)"]
        }
        let child = try ChildProcess(configuration)
        _ = try child.wait()
        return 0
    }
}

/// The process that `wl-paste --watch` runs for each change.
struct WatchedPasteCommand: Command {
    static let syntax = CommandSyntax(
        "watched-paste",
        "the process of 'wl-paste --watch'",
        operands: "ARGUMENT ...",
        options: []
    )

    private let shim: ShimRun

    init(_ arguments: ParsedArguments) throws {
        shim = try ShimRun(.wlPaste, arguments.operands)
    }

    func run(on loop: Loop) async throws -> CInt {
        try await shim.runWatched(on: loop)
    }
}
