import BrokerState
import PasteboardTransport
import PasteboardWire

/// The contents that a broker keeps on disk, so that they survive a restart of the machine: a file for each pasteboard.
///
/// Secret contents and those that their writer calls transient never reach the disk. If there is no more room, the contents
/// that were written first leave the disk first.
struct Spool: ~Copyable {
    private struct Entry {
        let contents: PublicationID
        let number: UInt64
        let size: UInt64
    }

    private let directory: SpoolDirectory
    private let boot: Boot
    /// The maximum size of all files.
    private let limit: UInt64
    private let writer: SpoolWriter
    /// The files in the order of their writing.
    private var entries: [Entry] = []
    private var total: UInt64 = 0
    /// The number of the latest file.
    private var latest: UInt64 = 0
    /// Whether the latest file could be written, as far as is known.
    private var works = true

    init(_ directory: SpoolDirectory, limit: UInt64, boot: Boot) throws(SystemError) {
        self.directory = directory
        self.limit = limit
        self.boot = boot
        writer = try SpoolWriter(directory.descriptor)
    }

    deinit {
        writer.stop()
    }

    /// Readable when `failures` has to be called.
    var raw: CInt { writer.raw }
    /// Whether writes are not finished.
    var isBusy: Bool { writer.isBusy }

    /// Starts the thread that writes.
    func start() throws(SystemError) { try writer.start() }
    /// Keeps what is there, and takes nothing more.
    func finish() { writer.finish() }
    /// Leaves the files to another broker.
    func stop() { writer.stop() }

    // MARK: Restoring

    /// A file that an earlier broker has written.
    struct Stored {
        let number: UInt64
        let file: DescriptorBox
        let contents: SavedContents
    }

    /// The files of earlier brokers, those of the newest contents first.
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
        return stored.sorted { ($0.contents.changeCount ?? 0, $0.number) > ($1.contents.changeCount ?? 0, $1.number) }
    }

    /// Reads a whole file. What has no meaning after a restart of the machine is changed.
    func contents(of stored: Stored) throws(Failure) -> (contents: SavedContents, kept: [MemoryFile?]) {
        var (contents, kept) = try SpoolFile.contents(of: stored.file.raw)
        contents.move(to: boot)
        return (contents, kept)
    }

    /// Notes that a file has the contents.
    mutating func adopt(_ stored: Stored, for id: PublicationID) {
        let size = (try? System.status(of: stored.file.raw).size) ?? 0
        entries.append(Entry(contents: id, number: stored.number, size: size))
        total = total.addingClamped(size)
    }

    /// Removes a file whose contents were replaced or have expired.
    func discard(_ stored: Stored) {
        writer.add(.remove(stored.number))
    }

    // MARK: Saving

    /// Writes contents to the disk, in place of the earlier ones of the same id.
    ///
    /// - Parameter file: the file of kept bytes; nil if they are empty.
    /// - Returns: why they do not reach the disk; nil if they will, or may not.
    mutating func save(
        _ id: PublicationID,
        _ contents: SavedContents,
        kept: [DescriptorBox?]
    ) -> String? {
        let earlier = take(id)
        // After the new file.
        defer { if let earlier { writer.add(.remove(earlier.number)) } }
        guard contents.terms?.isTransient != true else { return nil }
        var contents = contents
        contents.programVersion = ProgramVersion.current
        contents.bootID = boot.id
        contents.bootedAt = boot.startedAt
        var description: [UInt8] = []
        contents.encode(into: &description)
        let bytes = SpoolFile.keptSizes(contents).reduce(UInt64(0)) { $0.addingClamped($1) }
        let size = SpoolFile.size(description: description.count, kept: bytes)
        guard size <= limit else {
            return
                "the contents of pasteboard \(contents.board) have \(size) bytes, which is more than the limit kept-on-disk, "
                + "\(limit): they do not survive a restart of the machine"
        }
        while total > limit - size, !entries.isEmpty {
            let first = entries.removeFirst()
            total -= min(total, first.size)
            writer.add(.remove(first.number))
        }
        latest &+= 1
        entries.append(Entry(contents: id, number: latest, size: size))
        total += size
        writer.add(.write(latest, description: description, kept: kept))
        return nil
    }

    mutating func remove(_ id: PublicationID) {
        if let entry = take(id) { writer.add(.remove(entry.number)) }
    }

    private mutating func take(_ id: PublicationID) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.contents == id }) else { return nil }
        let entry = entries.remove(at: index)
        total -= min(total, entry.size)
        return entry
    }

    /// Forgets files that could not be written.
    ///
    /// - Returns: the error of the first one after one that could be written, if there is one.
    mutating func failures() -> SystemError? {
        let failed = writer.takeFailed()
        for failed in failed {
            guard let index = entries.firstIndex(where: { $0.number == failed.number }) else { continue }
            total -= min(total, entries.remove(at: index).size)
        }
        defer { works = failed.isEmpty }
        return works ? failed.first?.error : nil
    }
}
