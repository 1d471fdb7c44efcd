import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Joins standard input and output to the broker's socket.
struct ConnectCommand: Command {
    static let syntax = CommandSyntax(
        "connect",
        "joins standard input and output to the broker, for 'link'",
        options: [
            .init("--silence", value: "DURATION", "ends after this time without input; by default never")
        ],
        broker: .started,
        examples: "ssh buildhost pasteboard connect",
        notes: """
            'pasteboard link' runs it on the other machine. Any program that speaks the protocol can use it: ssh HOST
            pasteboard connect. Starts a broker if none is running. File descriptors do not pass. Ends with the
            connection or, after the end of the input, with the last answer.
            """
    )

    /// The number of bytes that are passed on at once.
    private static let chunk = 256 << 10

    private let silence: UInt64?

    init(_ arguments: ParsedArguments) throws {
        silence = try arguments.value("--silence").flatMap { try TimeoutArgument($0).milliseconds }
    }

    func run(on loop: Loop) async throws -> CInt {
        let socket = DescriptorBox(try BrokerConnector().connect())
        try System.makeBlocking(socket.raw)
        try SystemThread(name: "answers") {
            try? Self.forward(from: socket.raw, to: 1)
            // The other direction may wait for input.
            exit(0)
        }.detach()
        try Self.forward(from: 0, to: socket.raw, silence: silence)
        try Socket.endWriting(socket.raw)
        while true { pause() }
    }

    /// Forwards bytes until the end of `input`, or until it has been silent for too long, which ends the command.
    private static func forward(from input: CInt, to output: CInt, silence: UInt64? = nil) throws {
        while true {
            // The input may be a descriptor that does not block.
            let interest = PollInterest(input, .readable)
            let ready = try System.poll([interest], milliseconds: silence.map { Int(clamping: $0) })
            guard !ready[0].isEmpty else {
                StandardStreams.report("pasteboard: connect: no input for the time of --silence")
                exit(3)
            }
            let bytes = try System.read(input, upTo: chunk)
            if bytes.isEmpty { return }
            try System.write(bytes.span, to: output)
        }
    }
}
