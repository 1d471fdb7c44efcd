import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Demonstrates a promise and its load: a private broker, a source process, and this process as the destination.
///
/// The lines of the source are printed when it has printed them, so the order of the lines is the order of what
/// happened.
struct DemoCommand: Command {
    static let syntax = CommandSyntax(
        "demo",
        "shows a promise, a load and a dead source between real processes",
        options: [],
        broker: .none,
        examples: "pasteboard demo",
        files: [("$TMPDIR", "the parent of the temporary directory; by default /tmp")],
        notes: """
            Starts a broker in a temporary directory and a source, and is the destination itself. Your pasteboards are
            not changed. The demo takes less than a second.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        for variable in System.environment() where variable.hasPrefix("PASTEBOARD_") {
            try System.setEnvironment(String(variable.prefix { $0 != "=" }), to: nil)
        }
        // Not the broker of another version, which may be in PATH.
        let program = try System.programPath()
        if program.hasSuffix("/pasteboard") { try System.setEnvironment("PASTEBOARD_BROKER", to: program) }
        return try await PrivateBroker.running("demo", on: loop) {
            try await Brokers.startingOne(on: loop).recovering(Recovery(.bound)) { try await show(over: $0) }
        }
    }

    private func show(over connection: BrokerConnection) async throws -> CInt {
        try say("broker", "process \(connection.welcome.process ?? 0) listens for programs")

        let source = try DemoSource()
        try say("source", try source.line())

        let listing = try await connection.listing(settles: false)
        let types = listing.items.flatMap { $0.representations.map(\.type) }.joined(separator: ", ")
        let count = listing.items.count
        try say("destination", "process \(System.processID) sees \(count) item with the types \(types)")
        let made = source.hasLine ? "but it was produced" : "so it was not produced"
        try say("source", "no program has requested the text yet, \(made)")

        func load() async throws -> (text: String, isFailure: Bool) {
            try say("destination", "requests the greeting as text")
            return await Self.load(listing.contents.handle, over: connection)
        }
        let outcome = try await load()
        try say("source", try source.line())
        try say("destination", outcome.text)

        source.kill()
        try say("source", "process \(source.process.id) was killed")
        let failure = try await load()
        try say("destination", failure.text)
        return failure.isFailure ? 0 : 5
    }

    /// Loads the greeting, and describes the outcome.
    private static func load(
        _ handle: UInt64?,
        over connection: BrokerConnection
    ) async -> (text: String, isFailure: Bool) {
        let load = Load(handle, accepts: [Accept("public.text")])
        let start = MonotonicClock.now()
        do throws(RequestFailure) {
            let (answer, bytes) = try await connection.loadBytes(load)
            let (type, text) = (answer.type ?? "?", String(decoding: bytes, as: UTF8.self))
            return ("received \(bytes.count) bytes of \(type) after \(since(start)): \"\(text)\"", false)
        } catch {
            return ("received an error after \(since(start)): \(error.failure.code): \(error.failure.text)", true)
        }
    }

    private static func since(_ start: UInt64) -> String {
        let microseconds = (MonotonicClock.now() - start) / 1_000
        let hundredths = "\(microseconds % 1_000 / 10)"
        return "\(microseconds / 1_000).\(hundredths.count < 2 ? "0" : "")\(hundredths) ms"
    }

    private func say(_ who: String, _ what: String) throws {
        let padding = String(repeating: " ", count: max(0, 11 - who.count))
        let lines = HelpText.lines(
            of: what.split(separator: " "),
            first: "\(padding)\(who)  ",
            next: String(repeating: " ", count: 13),
            width: System.terminalColumns(1) ?? .max
        )
        try StandardStreams.print(lines.joined(separator: "\n") + "\n")
    }
}
