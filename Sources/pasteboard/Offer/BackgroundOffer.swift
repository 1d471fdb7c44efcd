import PasteboardClient
import PasteboardTransport

/// Starts an offer that continues in a new process.
///
/// The new process runs this program in a new session. It sends its messages through a pipe until it has registered;
/// then it closes its end and writes the line that this command prints to a second pipe. Without that line it has
/// failed, and this command returns its exit code.
enum BackgroundOffer {
    /// The descriptor for the line in the new process.
    fileprivate static let ready: CInt = 3

    /// Returns once the contents can be pasted, and prints the result.
    static func start(_ arguments: [SystemString]) throws -> CInt {
        let ready = try System.pipe()
        let errors = try System.pipe()
        var configuration = ChildProcess.Configuration(
            path: try System.programPath(),
            arguments: [SystemString(BackgroundOfferCommand.syntax.name)] + arguments
        )
        configuration.output = .null
        configuration.errors = .descriptor(errors.second.raw)
        configuration.descriptors = [ready.second.raw]
        configuration.inNewSession = true
        let child = try ChildProcess(configuration)
        // The write ends are closed here; otherwise the end of file would never be seen.
        let readyReader = ready.keepingFirst()
        let errorReader = errors.keepingFirst()
        while true {
            let message = try System.read(errorReader.raw, upTo: 4096)
            if message.isEmpty { break }
            try? System.write(message.span, to: 2)
        }
        let line = try System.read(readyReader.raw, upTo: 1 << 20)
        guard line.isEmpty else {
            CommandLineTool.outliveDeadline()
            try StandardStreams.write(line.span)
            return 0
        }
        return try child.wait().exitCode
    }

    /// Lets the waiting command return. From here on messages go to the log, or are discarded.
    static func registered(_ line: String, isVerbose: Bool) throws {
        let log = isVerbose ? LogFile.path().flatMap(LogFile.open) : nil
        let messages = try log ?? DescriptorBox(System.open("/dev/null", .writing))
        try System.duplicate(messages.raw, onto: 2)
        let ready = OwnedDescriptor(adopting: Self.ready)
        try System.write(Array(line.utf8).span, to: ready.raw)
    }
}

/// The process that `offer --background` starts.
struct BackgroundOfferCommand: Command {
    static let syntax = CommandSyntax(
        "background-offer",
        "the process of 'offer --background'",
        operands: OfferCommand.syntax.operands,
        options: OfferCommand.syntax.options
    )

    private let offer: OfferCommand

    init(_ arguments: ParsedArguments) throws {
        offer = try OfferCommand(arguments)
    }

    func run(on loop: Loop) async throws -> CInt {
        guard try System.status(of: BackgroundOffer.ready).kind == .pipe else {
            throw CommandFailure(usage: "this command is internal; use 'pasteboard offer --background'")
        }
        return try await offer.run(on: loop) { try BackgroundOffer.registered($0, isVerbose: offer.isVerbose) }
    }
}
