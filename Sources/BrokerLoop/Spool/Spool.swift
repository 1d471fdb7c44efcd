import BrokerState
import PasteboardTransport
import PasteboardWire

/// The contents that a broker keeps on disk, so that they survive a restart of the machine: a file for each pasteboard.
///
/// Secret contents and those that their writer calls transient never reach the disk. If a new file would exceed the limit, the oldest ones are removed.
struct Spool: ~Copyable {
    private struct Entry {
        let contents: PublicationID
        /// The number of its latest file.
        let number: UInt64
        let size: UInt64
    }

    let directory: SpoolDirectory
    private let boot: Boot
    /// The maximum size of the latest files. Files that could not be restored are not counted.
    private let limit: UInt64
    private let writer: SpoolWriter
    /// The files in the order of their writing.
    private var entries: [Entry] = []
    private var total: UInt64 = 0
    /// The number of the latest file.
    private var latest: UInt64 = 0
    /// Whether jobs have succeeded since the last failure, so that the next failure is logged.
    private var hasRecovered = true
    /// Contents whose newest version could not be written, in the order of the attempts.
    private var unwritten: [PublicationID] = []
    /// The files that could not be restored, by pasteboard. They stay until other contents of it are saved.
    private var unrestored: [String: [UInt64]] = [:]

    init(
        _ directory: SpoolDirectory,
        limit: UInt64,
        boot: Boot,
        closer: DescriptorCloser
    ) throws(SystemError) {
        self.directory = directory
        self.limit = limit
        self.boot = boot
        writer = try SpoolWriter(directory.descriptor, closer: closer)
    }

    deinit {
        writer.abandon()
    }

    /// Readable when `failures` has to be called, and when everything is written.
    var raw: CInt { writer.raw }
    /// Whether writes are not finished.
    var isBusy: Bool { writer.isBusy }

    /// Starts the thread that writes.
    func start() throws(SystemError) { try writer.start() }
    /// Completes what was saved, and takes nothing more.
    func finish() { writer.finish() }
    /// Discards queued writes and removals.
    func abandon() { writer.abandon() }
    /// Leaves the files to another broker.
    func stop() { writer.stop() }

    // MARK: Restoring

    /// A file that an earlier broker has written.
    struct Stored {
        let number: UInt64
        let file: DescriptorBox
        let contents: SavedContents
    }

    /// The files of earlier brokers, those that were written last first.
    ///
    /// - Parameter damaged: called with the number of each file that cannot be read. It stays where it is.
    mutating func stored(damaged: (UInt64, Failure) -> Void) throws(SystemError) -> [Stored] {
        var stored: [Stored] = []
        for number in try directory.numbers() {
            latest = max(latest, number)
            do throws(Failure) {
                let file = DescriptorBox(try directory.open(number))
                stored.append(
                    Stored(number: number, file: file, contents: try SpoolFile.description(of: file.raw))
                )
            } catch {
                damaged(number, error)
            }
        }
        return stored.sorted { $0.number > $1.number }
    }

    /// Reads a whole file. Times and the writer are adapted if the machine was restarted.
    func contents(of stored: Stored) throws(Failure) -> (contents: SavedContents, kept: [MemoryFile?]) {
        var (contents, kept) = try SpoolFile.contents(of: stored.file.raw)
        contents.move(to: boot)
        return (contents, kept)
    }

    /// Notes that a file has the contents.
    mutating func adopt(_ stored: Stored, for id: PublicationID) {
        let size = (try? System.status(of: stored.file.raw).size) ?? 0
        let index = entries.firstIndex { $0.number > stored.number } ?? entries.endIndex
        entries.insert(Entry(contents: id, number: stored.number, size: size), at: index)
        total = total.addingClamped(size)
        writer.adopt(stored.number, for: id)
    }

    /// Leaves a file where it is, until its pasteboard gets other contents.
    mutating func leave(_ stored: Stored) {
        unrestored[stored.contents.board, default: []].append(stored.number)
    }

    /// Removes a file whose contents were replaced or have expired.
    func discard(_ stored: Stored) {
        writer.remove(file: stored.number)
    }

    // MARK: Saving

    /// Writes contents to the disk, in place of the earlier ones of the same id.
    ///
    /// - Parameter kept: the files of kept bytes; nil for those that are empty.
    /// - Returns: the reason, if they exceed the limit; nil otherwise, also for transient contents.
    mutating func save(
        _ id: PublicationID,
        _ contents: SavedContents,
        kept: [DescriptorBox?]
    ) -> String? {
        for number in unrestored.removeValue(forKey: contents.board) ?? [] { writer.remove(file: number) }
        let hasEarlier = take(id)
        unwritten.removeAll { $0 == id }
        guard contents.terms?.isTransient != true else { return nil }
        var contents = contents
        contents.programVersion = ProgramVersion.current
        contents.bootID = boot.id
        contents.bootedAt = boot.startedAt()
        var description: [UInt8] = []
        contents.encode(into: &description)
        let bytes = SpoolFile.keptSizes(contents).reduce(UInt64(0)) { $0.addingClamped($1) }
        let size = SpoolFile.size(description: description.count, kept: bytes)
        guard size <= limit else {
            if hasEarlier { writer.remove(id) }
            return
                "the contents of pasteboard \(contents.board) have \(size) bytes, which is more than the limit kept-on-disk, "
                + "\(limit): they do not survive a restart of the machine"
        }
        makeRoom(for: size)
        latest += 1
        entries.append(Entry(contents: id, number: latest, size: size))
        total += size
        writer.write(SpoolWriter.Write(number: latest, description: description, kept: kept), for: id)
        return nil
    }

    /// Removes the files that were written first until there is room for one of this size.
    mutating func makeRoom(for size: UInt64 = 0) {
        while total > limit - min(limit, size), !entries.isEmpty {
            let first = entries.removeFirst()
            total -= min(total, first.size)
            writer.remove(first.contents)
        }
    }

    mutating func remove(_ id: PublicationID) {
        unwritten.removeAll { $0 == id }
        if take(id) { writer.remove(id) }
    }

    /// Removes an entry; returns false if there is none.
    @discardableResult
    private mutating func take(_ id: PublicationID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.contents == id }) else { return false }
        total -= min(total, entries.remove(at: index).size)
        return true
    }

    /// Notes files that could not be written or removed.
    ///
    /// - Returns: `error`, the first error since the last success, nil while failures continue; and `hasFailed`, whether
    ///   something has failed.
    mutating func failures() -> (error: SystemError?, hasFailed: Bool) {
        let failures = writer.takeFailures()
        // Contents that were removed meanwhile have no entry.
        for contents in failures.unwritten where entries.contains(where: { $0.contents == contents }) {
            unwritten.append(contents)
        }
        for contents in failures.lost { take(contents) }
        defer { hasRecovered = failures.error == nil }
        return (hasRecovered ? failures.error : nil, failures.error != nil)
    }

    /// Repeats failed removals.
    ///
    /// - Returns: the contents that have to be written again.
    mutating func retry() -> [PublicationID] {
        writer.retryRemovals()
        return exchange(&unwritten, with: [])
    }
}
