package import PasteboardTransport
import PasteboardWire

/// One end of a link: a connection to the broker of a machine.
package struct LinkEnd: Sendable {
    /// The name of the machine, for errors.
    package let machine: String
    package let connection: BrokerConnection

    /// - Parameters:
    ///   - socket: a socket whose other end is a broker, or a program that passes bytes to one.
    ///   - label: the name of the link, which this broker shows.
    ///   - passesConcealed: whether the link may see concealed contents.
    package init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        machine: String,
        label: String,
        passesConcealed: Bool = false,
        programVersion: String? = nil,
        on loop: Loop,
        timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) {
        self.machine = machine
        var hello = Hello()
        hello.role = .link
        hello.label = label
        if passesConcealed { hello.seesConcealed = true }
        hello.programVersion = programVersion
        var timeouts = timeouts
        // A machine that was unplugged, or a program that was stopped, closes nothing.
        timeouts.probesIdle = true
        connection = BrokerConnection(adopting: socket, path: path, hello: hello, on: loop, timeouts: timeouts)
        // On a slow line, what the kernel holds is in front of a new copy. Connections have large buffers otherwise.
        Socket.setBuffers(of: connection.descriptor, bytes: 32 << 10)
    }

    /// Returns when the broker has answered hello, and supports links.
    package func begin() async throws(RequestFailure) {
        try await connection.begin()
        guard connection.welcome.features.contains(Feature.links.rawValue) else {
            let version = connection.welcome.programVersion ?? "an older version"
            let text = "the broker on \(machine) (\(version)) does not support links; update pasteboard there"
            throw RequestFailure(Failure(.versionMismatch, text), .other, at: .nothing)
        }
    }
}

extension LinkEnd {
    /// Answers an ask of the other broker with a load from this one. Without a timeout of its destination, the load has
    /// the deadlines of this broker.
    ///
    /// - Parameters:
    ///   - source: the contents that the ask is for.
    ///   - interval: the time between two reports that the load goes on, in milliseconds.
    func answer(
        _ ask: AskStream,
        from source: LinkedBoard.Source,
        reportingEvery interval: Int
    ) async throws(Failure) {
        guard source.items.indices.contains(ask.item),
            source.items[ask.item].types.indices.contains(ask.representation)
        else { throw Failure(.superseded, "these contents were replaced on \(machine)") }
        let item = source.items[ask.item]
        var window = LineWindow(at: MonotonicClock.now())
        let accepted = Accept(item.types[ask.representation], match: .exact)
        var load = Load(source.handle, item: item.index, accepts: [accepted])
        load.credit = window.size
        load.descriptorWelcome = false
        let timeout = ask.fields.firstByteMilliseconds
        if timeout != ask.connection.welcome.firstByteMilliseconds {
            load.timeoutMilliseconds = timeout.map { max(1, $0) }
        }
        let reports = ask.startReports(every: interval)
        defer { reports.cancel() }
        do throws(RequestFailure) {
            var incoming = try await connection.load(load) { ask.report(completed: $0, of: $1) }
            let answer = incoming.answer
            ask.announce(byteCount: answer.byteCount, content: answer.content, fileName: answer.suggestedName)
            while let arrival = try await incoming.nextArrival() {
                switch arrival {
                case .bytes(let bytes, let isLast):
                    try await ask.send(bytes, isLast: isLast)
                    if isLast { return }
                    window.receive(bytes.count, at: MonotonicClock.now(), sharedBy: connection.requestCount)
                    incoming.setWindow(window.size)
                case .progress(let completed, let total): ask.report(completed: completed, of: total)
                }
            }
            ask.end()
        } catch {
            throw explained(error.failure)
        }
    }

    /// The failure of a load or of a drag session here, for the program at the other end.
    func explained(_ failure: Failure) -> Failure {
        if let lost = connection.failure {
            return Failure(.linkDown, "the link to \(machine) has ended: \(lost.failure.text)")
        }
        var failure = failure
        failure.text += " (on \(machine))"
        // With these codes, the destination would connect to its own broker again, which runs.
        if [.brokerRestarted, .brokerStopped].contains(failure.code) { failure.code = .linkDown }
        return failure
    }
}
