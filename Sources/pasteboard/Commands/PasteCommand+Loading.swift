import Glibc
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
        _ connection: BlockingConnection,
        to sink: any PasteSink,
        answered: (Answer, UniformType) -> Void
    ) throws {
        var load = load
        load.preference = .acceptList
        // No person asks for what the command of a watch loads.
        if WatchedCommand.isAncestor { load.isAutomatic = true }
        if let items = listing?.items, let item = Int(exactly: load.item ?? 0), items.indices.contains(item),
            let representation = PasteTypes.choice(of: load.accepts, in: items[item])
        {
            let type = UniformType(identifier: representation.type, supertypes: representation.supertypes)
            try sink.check(type, isArchive: representation.content == .folderArchive)
        }
        if let timeout {
            let left = end == .max ? timeout.loadMilliseconds : UInt64(MonotonicClock.millisecondsLeft(until: end))
            guard left > 0 || end == .max else { throw Failure(.timeout, "the time of --timeout is over") }
            load.timeoutMilliseconds = left
        }
        var trimmer = trimsNewline ? NewlineTrimmer() : nil
        var report = PasteReport(board, listing?.contents.changeCount, item: load.item ?? 0, path: output)
        var total: UInt64?
        var count: UInt64 = 0
        defer { line.finish() }
        // A signal has to be handled if an unfinished file must be removed; otherwise it just ends the process.
        let signals = try sink.leavesFile ? SignalBox([SIGINT, SIGTERM, SIGHUP]) : nil
        do {
            try connection.load(
                load,
                interruptedBy: signals?.raw,
                answered: { answer in
                    total = answer.byteCount
                    let listed = listing?.items.representation(of: answer)
                    let type = UniformType(
                        identifier: answer.type ?? UniformType.data.identifier,
                        supertypes: listed?.supertypes ?? []
                    )
                    // From now on the paste is not made again.
                    connection.reached = .bytes
                    report.record(answer, listed)
                    answered(answer, type)
                    try sink.begin(
                        type,
                        isArchive: answer.isArchive,
                        suggestedName: answer.suggestedName,
                        file: listed?.file
                    )
                },
                file: { file in
                    count = file.byteCount
                    try sink.write(file, trimsNewline: trimsNewline) {
                        try signals?.check()
                        try Invocation.current.check()
                        guard sink.leavesFile, let position = sink.descriptor.flatMap({ try? System.position(of: $0) })
                        else { return }
                        line.show("pasted", position, of: total)
                    }
                },
                bytes: { bytes in
                    if let trimmed = trimmer?.next(bytes) {
                        try sink.write(trimmed.span)
                    } else {
                        try sink.write(bytes)
                    }
                    count += UInt64(bytes.count)
                    if sink.leavesFile { line.show("pasted", count, of: total) }
                }
            )
        } catch {
            sink.endLine()
            try signals?.check()
            throw error
        }
        if let path = try sink.finish() {
            written.insert(path)
            report.path = path
            if !Invocation.current.isJSON { try StandardStreams.print(path: path) }
        }
        report.byteCount = count
        // Bytes on standard output must not be mixed with the report.
        let isApart = output == nil && directory == nil
        if Invocation.current.isJSON { try StandardStreams.print(json: report.json, to: isApart ? 2 : 1) }
    }
}

/// The paths that a paste has written, in a reference, so that methods that do not mutate can add one.
final class WrittenPaths {
    private var paths: Set<SystemString> = []

    func contains(_ path: SystemString) -> Bool { paths.contains(path) }

    func insert(_ path: SystemString) { paths.insert(path) }
}
