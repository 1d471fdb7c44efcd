import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The source of the demo: promises a text, and makes it when it is requested.
struct DemoSourceCommand: Command {
    static let syntax = CommandSyntax("demo-source", "the source process of the demo", options: [])

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        let connection = try Broker.startingOne()
        var text = Representation()
        text.type = "public.utf8-plain-text"
        var json = Representation()
        json.type = "public.json"
        let item = WriteItem(
            Item(suggestedName: "greeting"),
            representations: [(text, .promised), (json, .promised)]
        )
        _ = try connection.write(Write(), items: [item])
        try StandardStreams.print(
            "process \(System.processID) offers a greeting as plain text or as JSON, and has produced neither\n"
        )
        while true {
            var asks: [(stream: UInt64, type: String)] = []
            try connection.turn { _, event, bytes in
                if case .asked(let stream, let ask) = event { asks.append((stream, ask.type(in: bytes))) }
            }
            for (stream, type) in asks { try make(type, stream, connection) }
        }
    }

    private func make(_ type: String, _ stream: UInt64, _ connection: BlockingConnection) throws {
        let bytes = Array("produced by process \(System.processID) on request".utf8)
        try StandardStreams.print("receives a request for \(type), and produces \(bytes.count) bytes\n")
        _ = try connection.io.send(bytes.span, on: stream, last: true)
        try connection.io.flush()
    }
}

/// The destination of the demo: lists the types, and loads the text at each line on its standard input.
struct DemoDestinationCommand: Command {
    static let syntax = CommandSyntax("demo-destination", "the destination process of the demo", options: [])

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        let connection = try Broker.startingOne()
        let listing = try connection.listing(settles: false)
        let types = listing.items.flatMap { $0.representations.map(\.type) }.joined(separator: ", ")
        let count = listing.items.count
        try StandardStreams.print("process \(System.processID) sees \(count) item with the types \(types)\n")
        while case let command = try System.read(0, upTo: 64), !command.isEmpty {
            try load(listing.contents.handle, over: connection)
        }
        return 0
    }

    private func load(_ handle: UInt64?, over connection: BlockingConnection) throws {
        var load = Load()
        load.handle = handle
        load.accepts = [Accept("public.text")]
        try StandardStreams.print("requests the greeting as text\n")
        let start = MonotonicClock.now()
        let outcome: String
        do throws(Failure) {
            let (answer, bytes) = try connection.loadBytes(load)
            let text = String(decoding: bytes, as: UTF8.self)
            outcome = "received \(bytes.count) bytes of \(answer.type ?? "?") after \(Self.since(start)): \"\(text)\""
        } catch {
            outcome = "received an error after \(Self.since(start)): \(error.code): \(error.text)"
        }
        try StandardStreams.print("\(outcome)\n")
    }

    private static func since(_ start: UInt64) -> String {
        let microseconds = (MonotonicClock.now() - start) / 1_000
        let hundredths = "\(microseconds % 1_000 / 10)"
        return "\(microseconds / 1_000).\(hundredths.count < 2 ? "0" : "")\(hundredths) ms"
    }
}
