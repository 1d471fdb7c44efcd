import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

// One load of a paste: its options, its report, and the bytes on their way to the sink.
extension PasteCommand {
    /// Loads an item into a sink.
    ///
    /// - Parameter listing: the contents; nil if they were not listed.
    func perform(
        _ load: Load,
        of listing: BoardListing?,
        _ connection: BrokerConnection,
        to sink: any PasteSink,
        answered: (Answer, UniformType) -> Void
    ) async throws {
        var load = load
        load.preference = .acceptList
        // No person asks for what the command of a watch loads.
        if WatchedCommand.isAncestor { load.isAutomatic = true }
        if let items = listing?.items, let item = Int(exactly: load.item ?? 0), items.indices.contains(item),
            let representation = PasteTypes.choice(of: load.accepts, in: items[item])
        {
            let type = UniformType(of: representation)
            try ReceivedItem.check(type, textOptions(for: type))
            try sink.check(type, isArchive: representation.content == .folderArchive)
        }
        if let timeout {
            // 0 requests the longest possible time.
            let left = end == .max ? timeout.milliseconds ?? 0 : UInt64(MonotonicClock.millisecondsLeft(until: end))
            guard left > 0 || end == .max else { throw Failure(.timeout, "the time of --timeout is over") }
            load.timeoutMilliseconds = left
        }
        let received = ReceivedItem(load.item ?? 0, to: sink, changing: textOptions)
        var total: UInt64?
        let leavesFile = sink.leavesFile
        func showProgress() { if leavesFile { line.show("pasted", received.byteCount, of: total) } }
        defer { line.finish() }
        // A signal has to be handled if an unfinished file must be removed; otherwise it just ends the process.
        let signals = try leavesFile ? self.signals.taken(on: connection.loop) : nil
        func check() throws {
            try signals?.check()
            try Invocation.current.check()
        }
        (sink as? ListedFiles)?.check = check
        do {
            var incoming = try await connection.load(load)
            total = incoming.answer.byteCount
            // The sink may have changed something, so the paste is not made again from here on.
            try received.begin(incoming.answer, of: listing?.items ?? []) { answered(incoming.answer, $0) }
            if let file = incoming.file {
                try received.write(file) {
                    try check()
                    showProgress()
                }
            } else {
                while let bytes = try await incoming.next() {
                    try received.write(bytes.span)
                    showProgress()
                }
            }
        } catch {
            sink.endLine()
            try signals?.check()
            throw error
        }
        try report(received, of: listing, at: received.finish())
    }

    /// Prints the paths of the new files, or the report of --json.
    func report(_ received: ReceivedItem, of listing: BoardListing?, at paths: [SystemString]) throws {
        guard Invocation.current.isJSON else {
            for path in paths { try StandardStreams.print(path: path) }
            return
        }
        let members = [("board", .string(board)), ("changeCount", JSONValue(listing?.contents.changeCount))]
        // Bytes on standard output must not be mixed with the report.
        let isApart = output == nil && directory == nil
        for path in paths.isEmpty ? [output] : paths.map(Optional.some) {
            try StandardStreams.print(json: .object(members + received.members(path: path)), to: isApart ? 2 : 1)
        }
    }
}

/// The signals of a paste that writes files. Once they are handled, they interrupt all that follows.
final class PasteSignals {
    private(set) var box: SignalBox?

    func taken(on loop: Loop) throws -> SignalBox {
        let taken = try box ?? SignalBox(interrupting: loop)
        box = taken
        return taken
    }
}
