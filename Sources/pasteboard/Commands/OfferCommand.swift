import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Promises what commands would print, and runs them when somebody pastes.
struct OfferCommand: Command {
    static let syntax = CommandSyntax(
        "offer",
        "promises the output of commands, which run when somebody pastes",
        options: [
            .init("--type", short: "-t", value: "TYPE=COMMAND", "what 'sh -c COMMAND' gives as TYPE; may be repeated"),
            .board,
            .init("--name", value: "NAME", "suggests a file name to whoever pastes"),
        ],
        notes: """
            Stays in the foreground until its contents are replaced or cleared, and ends with 0 then. Each load runs the
            command anew, up to 16 at once; its output goes out as it is taken. A command that fails makes the load fail with
            its status and the last line of its standard error. It is ended, with what it has started, when its load is
            cancelled. A broker is started if none runs.
            """
    )

    private let board: String
    private let name: String?
    private let offers: [TypeArgument]

    init(_ arguments: ParsedArguments) throws {
        self.board = try arguments.board()
        self.name = try arguments.value("--name")
        self.offers = try arguments.values("--type").map { spelling in
            let argument = try TypeArgument(giving: spelling)
            guard argument.origin != nil else {
                throw CommandFailure(usage: "-t \(spelling) says no command; write -t '\(spelling)=COMMAND'")
            }
            return argument
        }
        guard !self.offers.isEmpty else {
            throw CommandFailure(usage: "nothing to offer; write -t TYPE=COMMAND")
        }
        guard self.offers.count <= WireLimits.representations else {
            throw Failure(
                .limitExceeded,
                "\(self.offers.count) types; an item has at most \(WireLimits.representations)"
            )
        }
    }

    func run() throws -> CInt {
        let connection = try Broker.startingOne(streams: OfferLoop.maximumLoads)
        let progressDeadline = try connection.welcome().progressMilliseconds ?? .max
        let representations = self.offers.map { offer in
            var representation = Representation()
            representation.type = offer.type.identifier
            representation.supertypes = Array(offer.type.publishedSupertypes.prefix(WireLimits.supertypes))
            return (representation: representation, source: ByteSource.promised)
        }
        var write = Write()
        write.board = self.board
        let item = WriteItem(suggestedName: self.name, representations: representations)
        let publication = try connection.write(write, items: [item])
        // From here on commands may run, which have to end with this program.
        let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
        let types = self.offers.map(\.type.identifier).joined(separator: ", ")
        StandardStreams.note("offering \(types) on \(self.board)")
        try OfferLoop(
            connection,
            publication: publication.stream,
            offers: self.offers,
            progressDeadline: progressDeadline,
            signals: signals
        ).run()
        return 0
    }
}
