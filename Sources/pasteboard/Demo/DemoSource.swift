import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The program of the source: promises a text, and makes it when it is requested.
struct DemoSourceCommand: Command {
    static let syntax = CommandSyntax("demo-source", "the source process of the demo", options: [])

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        var text = Representation()
        text.type = "public.utf8-plain-text"
        var json = Representation()
        json.type = "public.json"
        var item = Item(suggestedName: "greeting")
        item.representations = [text, json]
        let types = item.representations.map(\.type)
        let offer = Offer(Write(), [item], at: try Brokers.startingOne(on: loop)) { ask in
            let bytes = Array("produced by process \(System.processID) on request".utf8)
            let type = types[ask.representation]
            try StandardStreams.print("receives a request for \(type), and produces \(bytes.count) bytes\n")
            try await ask.send(bytes, isLast: true)
        }
        _ = try await offer.place()
        try StandardStreams.print(
            "process \(System.processID) offers a greeting as plain text or as JSON, and has produced neither\n"
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await offer.serve() }
            // The demo has ended.
            group.addTask { await loop.ready(PollInterest(1, [])) }
            try await group.next()
            group.cancelAll()
            return 0
        }
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
