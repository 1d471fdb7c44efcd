import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The program of the source: promises a text, and makes it when it is requested.
struct DemoSourceCommand: Command {
    static let syntax = CommandSyntax("demo-source", "the source process of the demo", options: [])

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
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
            let ready = try connection.turn(extra: [PollInterest(1, [])]) { _, event, bytes in
                if case .asked(let stream, let ask) = event { asks.append((stream, ask.type(in: bytes))) }
            }
            // The demo has ended.
            guard ready[0].isEmpty else { return 0 }
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

/// The source process of the demo. It prints reports, one per line, and is ended when this object is released.
final class DemoSource {
    /// The timeout for a line, in milliseconds.
    private static let timeout = 10_000

    let process: ChildProcess
    private var hasEnded = false
    private let output: OwnedDescriptor
    private var buffer: [UInt8] = []

    init() throws {
        let pipe = try System.pipe()
        var configuration = ChildProcess.Configuration(
            path: try System.programPath(),
            arguments: [DemoSourceCommand.syntax.name]
        )
        configuration.output = .descriptor(pipe.second.raw)
        configuration.errors = .null
        process = try ChildProcess(configuration)
        // Only the source has the other end of the pipe, so that its end is noticed.
        output = pipe.keepingFirst()
    }

    deinit {
        kill()
    }

    /// Kills the process, unless it has ended: then another one may have its id.
    func kill() {
        guard !exchange(&hasEnded, with: true) else { return }
        try? process.kill(SIGKILL)
        _ = try? process.wait()
    }

    /// Whether it has printed something that was not read yet.
    var hasLine: Bool {
        !buffer.isEmpty || (try? isReadable(within: 0)) == true
    }

    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard try isReadable(within: Self.timeout) else {
                throw Failure(.timeout, "process \(process.id) of the demo did not respond")
            }
            let bytes = try System.read(output.raw, upTo: 4096)
            guard !bytes.isEmpty else {
                throw Failure(.sourceGone, "process \(process.id) of the demo has ended")
            }
            buffer += bytes
        }
    }

    private func isReadable(within milliseconds: Int) throws -> Bool {
        try !System.poll([PollInterest(output.raw, .readable)], milliseconds: milliseconds)[0].isEmpty
    }
}
