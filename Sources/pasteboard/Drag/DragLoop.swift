import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The life of a drag session: over its destination, dropped there, and on until everything has arrived.
final class DragLoop {
    private let connection: BlockingConnection
    private let stream: UInt64
    private let items: [InputItem]
    private let signals: SignalBox
    private let line = ProgressLine()
    private var progress = DragProgress()
    private var events: [ClientEvent] = []
    private var files: [ServedFile] = []
    private var sentBefore: UInt64 = 0
    private var askedFor: UInt64 = 0

    init(_ connection: BlockingConnection, stream: UInt64, items: [InputItem], signals: SignalBox) {
        self.connection = connection
        self.stream = stream
        self.items = items
        self.signals = signals
    }

    /// Returns once the session is over, or throws why there was no drop.
    func run(to destination: String) throws -> DragProgress {
        defer { self.line.clear() }
        let first: UInt64 = 1
        var location = Location()
        location.destination = destination
        self.connection.io.state.begin(self.stream)
        try self.connection.io.state.move(self.stream, to: location, sequence: first)
        while self.progress.outcome == nil, !self.progress.hasAnswered(first) { try self.turn() }
        try self.check(destination)
        self.connection.io.state.drop(self.stream)
        while self.progress.outcome == nil { try self.turn() }
        // It may have gone, or thought better of it, in the moment between.
        if !(self.progress.dropped?.transfers ?? true) { try self.check(destination) }
        return self.progress
    }

    /// Throws what stands in the way of a drop.
    private func check(_ destination: String) throws {
        if case .failed(let failure) = self.progress.outcome { throw failure }
        guard let proposal = self.progress.proposal else { return }
        if let refusal = proposal.refusal { throw refusal }
        let what: String
        switch SessionOperation(received: proposal.operation) {
        case .copy, .move: return
        case .forbidden: what = "takes nothing at this time"
        case .cancel:
            what = proposal.cannotHandle == true ? "does not take such items" : "would do nothing with the items"
        }
        throw Failure(.refused, "destination \(destination) \(what)")
    }

    private func turn() throws {
        try self.connection.io.flush()
        // While the socket is full nothing more is read.
        let mayGoOn = !self.connection.io.wantsWrite && self.files.contains { self.isSendable($0) }
        let ready = try self.connection.turn(
            extra: [PollInterest(self.signals.raw, .readable)],
            until: mayGoOn ? 0 : .max
        ) { _, event, _ in self.events.append(event) }
        let events = self.events
        self.events = []
        for event in events { self.handle(event) }
        // What is over is not undone any more.
        if self.progress.outcome == nil, !ready[0].isEmpty, let signal = try self.signals.next() {
            self.connection.io.state.cancel(self.stream)
            try self.connection.io.flush()
            throw CommandFailure.signaled(signal)
        }
        try self.serve()
    }

    private func isSendable(_ file: ServedFile) -> Bool {
        (self.connection.io.state.sendable(file.ask) ?? 1) > 0
    }

    private func handle(_ event: ClientEvent) {
        switch event {
        case .asked(let ask, let message):
            let item = Int(clamping: message.item ?? 0)
            let representation = Int(clamping: message.representation ?? 0)
            guard item < self.items.count, representation < self.items[item].representations.count else {
                let failure = Failure(.sourceFailed, "this program never offered representation \(representation)")
                return self.connection.io.state.fail(ask, failure)
            }
            let file = ServedFile(self.items[item].representations[representation].input, ask: ask)
            self.files.append(file)
            self.askedFor = self.askedFor.addingReportingOverflow(file.byteCount).partialValue
        case _ where event.stream == self.stream:
            self.progress.take(event)
        default:
            break
        }
    }

    private func serve() throws {
        var open: [ServedFile] = []
        for file in self.files {
            // One piece of each in turn.
            if try !self.connection.io.wantsWrite && file.serve(self.connection) {
                self.sentBefore &+= file.sent
            } else {
                open.append(file)
            }
        }
        self.files = open
        let sent = open.reduce(self.sentBefore) { $0 &+ $1.sent }
        if self.askedFor > 0 { self.line.show("sent", sent, of: self.askedFor) }
    }
}
