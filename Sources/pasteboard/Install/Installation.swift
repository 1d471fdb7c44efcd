import Glibc
import PasteboardTransport

/// The files that `install` has written below a prefix. The manifest, a file of its own, lists them, so that
/// `uninstall` removes exactly those.
///
/// A line of the manifest is a stamp, which is the file's size and time of modification, a space, and the path below
/// the prefix. A directory has the stamp `directory`. A file with another stamp is not, or no longer, of this program.
struct Installation {
    static let manifest = "share/pasteboard/manifest"
    private static let directoryStamp = "directory"

    private let prefix: String
    /// The prefix, locked: of two installations at the same time, one could store stamps of files that the other then
    /// replaces, and 'uninstall' would leave those. Nil if there is no such directory.
    private let root: DescriptorBox?
    private var entries: [(path: String, stamp: String)] = []
    /// The paths below the prefix that this run has written.
    private var current: Set<String> = []
    /// The paths that this run has written, in order.
    private(set) var written: [String] = []
    /// Lines about files that others have written.
    private(set) var notes: [String] = []

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter makesPrefix: whether the prefix is created if it does not exist.
    init(below prefix: String, makesPrefix: Bool = false) throws {
        self.prefix = prefix
        if makesPrefix, try System.status(at: prefix) == nil {
            try Self.makeDirectories(prefix)
            entries.append(("", Self.directoryStamp))
        }
        root = try Self.lock(prefix)
        let path = full(Self.manifest)
        guard let status = try status(of: Self.manifest) else { return }
        guard status.kind == .regular else {
            throw CommandFailure(local: "cannot read \(path), because it is not a file; remove it")
        }
        let bytes = try at(Self.manifest) { try System.contents(of: $0, limit: 1 << 20) }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // Only paths below the prefix are ever removed.
            guard parts.count == 2, Self.isInside(parts[1]) else {
                throw CommandFailure(local: "invalid line '\(line)' in \(path); remove the line")
            }
            entries.append((parts[1], parts[0]))
        }
    }

    private static func lock(_ prefix: String) throws -> DescriptorBox? {
        guard try System.status(at: prefix) != nil else { return nil }
        let directory = DescriptorBox(try System.open(prefix, [.directory]))
        guard try System.lock(directory.raw) else {
            throw CommandFailure(
                local: "another 'pasteboard install' or 'uninstall' is changing \(prefix); repeat this after its end"
            )
        }
        return directory
    }

    private func full(_ path: String) -> String { path.isEmpty ? prefix : "\(prefix)/\(path)" }

    /// Whether no component of a path leads out of the prefix.
    static func isInside(_ path: String) -> Bool { path.split(separator: "/").allSatisfy { $0 != ".." && $0 != "." } }

    /// The path of the installed file of this name.
    func path(named name: String) -> String? { entries.first { $0.path.hasSuffix("/\(name)") }?.path }

    // MARK: Directories

    /// Creates a directory, and those above it.
    static func makeDirectories(_ path: String) throws {
        guard try System.status(at: path) == nil else { return }
        try makeDirectories(System.directory(of: path))
        try System.makeDirectory(path, mode: 0o755)
    }

    /// Calls functions of the system with a path that begins at the open directory of the file. Each directory is
    /// opened from the one above it, and a symbolic link is followed only where nobody else can place one: otherwise a
    /// link could make root write or remove files elsewhere.
    private func at<Value>(_ path: String, _ body: (String) throws -> Value) throws -> Value {
        guard var directory = root else { throw SystemError(call: "open", errno: ENOENT) }
        let parts = path.split(separator: "/").map(String.init)
        for (index, part) in parts.enumerated().dropLast() {
            let status = try System.status(of: directory.raw)
            let isClosed = [0, System.userID].contains(status.owner) && status.mode & 0o022 == 0
            let link = try System.status(at: part, in: directory.raw)?.kind == .symbolicLink
            guard isClosed || !link else {
                let name = full(parts[...index].joined(separator: "/"))
                throw CommandFailure(local: "\(name) is a symbolic link where others can write, too; remove it")
            }
            let options: OpenOptions = isClosed ? [] : .notFollowingLinks
            let next = try System.open(SystemString(part), in: directory.raw, options.union([.nameOnly, .directory]))
            directory = DescriptorBox(next)
        }
        return try withExtendedLifetime(directory) {
            try body("/proc/self/fd/\(directory.raw)/\(parts.last ?? ".")")
        }
    }

    /// The same for a change, with an error that has the path as the user knows it.
    private func change(_ path: String, _ what: String, _ body: (String) throws -> Void) throws {
        try explaining(what, full(path)) { try at(path, body) }
    }

    private func status(of path: String) throws -> FileStatus? {
        do {
            return try at(path) { try System.status(at: $0) }
        } catch let error as SystemError where [ENOENT, ENOTDIR].contains(error.errno) {
            return nil
        }
    }

    // MARK: Writing

    mutating func write(_ path: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o644) throws {
        try makeDirectories(above: path)
        try checkPresent(path)
        try replace(path, bytes, mode: mode)
        try record(path)
    }

    /// Replaces a file at the end: a process that runs it keeps the earlier one.
    private func replace(_ path: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o644) throws {
        let target = SystemString(full(path))
        try change(path, "cannot create") { path in
            let directory = SystemString(path).directory
            let file = try PendingFile(inDirectory: directory, shown: target.directory, mode: mode)
            try file.write(Array(bytes).span, for: target)
            try file.keep(as: target.lastComponent ?? target, mode: mode)
        }
    }

    /// Makes a symbolic link to a file of this program.
    ///
    /// - Parameter replacesOthers: whether it replaces a file that this program has not written. Otherwise nothing is
    ///   ever removed: another program may appear at any time.
    mutating func link(_ path: String, to target: String, replacesOthers: Bool = true) throws {
        try makeDirectories(above: path)
        let up = String(repeating: "../", count: path.split(separator: "/").count - 1)
        let isBeside = System.directory(of: path) == System.directory(of: target)
        let target = isBeside ? SystemString(target).lastComponent ?? "" : SystemString(up + target)
        // The manifest lacks the links of an installation that was killed.
        if (try? at(path) { try System.linkTarget($0) }) == target { return try record(path) }
        if replacesOthers {
            try checkPresent(path)
            if try status(of: path) != nil { try change(path, "cannot replace") { try System.unlink($0) } }
        }
        do {
            try at(path) { try System.makeLink(to: target, at: $0) }
        } catch let error as SystemError where error.errno == EEXIST && !replacesOthers {
            notes.append("left \(full(path)), which is another program; remove it to install the link")
            entries.removeAll { $0.path == path }
            return
        }
        try record(path)
    }

    /// Notes that a file of others is replaced.
    private mutating func checkPresent(_ path: String) throws {
        guard try status(of: path)?.kind != .directory else {
            throw CommandFailure(local: "cannot replace \(full(path)), because it is a directory; move it")
        }
        guard let stamp = try stamp(of: path), !entries.contains(where: { $0 == (path, stamp) }) else { return }
        notes.append("replaced \(full(path)), which 'pasteboard install' had not written")
    }

    private mutating func makeDirectories(above path: String) throws {
        let parts = path.split(separator: "/")
        for count in parts.indices.dropFirst() {
            let directory = parts.prefix(count).joined(separator: "/")
            guard try status(of: directory) == nil else { continue }
            try change(directory, "cannot create") { try System.makeDirectory($0, mode: 0o755) }
            entries.append((directory, Self.directoryStamp))
        }
    }

    private mutating func record(_ path: String) throws {
        guard let stamp = try stamp(of: path) else { return }
        entries.removeAll { $0.path == path }
        entries.append((path, stamp))
        current.insert(path)
        written.append(full(path))
    }

    private func stamp(of path: String) throws -> String? {
        try status(of: path).map { "\($0.size).\($0.modifiedAt)" }
    }

    /// Writes the manifest.
    ///
    /// - Parameter isComplete: whether everything was written. Then the files of an earlier version that this one does
    ///   not have are removed.
    mutating func save(isComplete: Bool) throws {
        if isComplete {
            for entry in entries where entry.stamp != Self.directoryStamp && !current.contains(entry.path) {
                try remove(entry.path, unlessOtherThan: entry.stamp)
                entries.removeAll { $0.path == entry.path }
            }
        }
        guard !entries.isEmpty else { return }
        try makeDirectories(above: Self.manifest)
        try replace(Self.manifest, entries.map { "\($0.stamp) \($0.path)\n" }.joined().utf8)
    }

    // MARK: Removing

    /// Removes everything, and returns the paths of the files.
    mutating func removeAll() throws -> [String] {
        let files = entries.filter { $0.stamp != Self.directoryStamp }
        let removed = try files.filter { try remove($0.path, unlessOtherThan: $0.stamp) }
        try change(Self.manifest, "cannot remove") { try System.unlink($0) }
        // A directory with files of others stays.
        for entry in entries.reversed() where entry.stamp == Self.directoryStamp {
            if entry.path.isEmpty { try? System.removeDirectory(prefix) }
            try? at(entry.path) { try System.removeDirectory($0) }
        }
        return removed.map { full($0.path) }
    }

    /// - Returns: whether the file was removed.
    @discardableResult
    private mutating func remove(_ path: String, unlessOtherThan stamp: String) throws -> Bool {
        let present: String?
        do {
            present = try self.stamp(of: path)
        } catch let failure as CommandFailure {
            notes.append("left \(full(path)): \(failure.text ?? "")")
            return false
        }
        guard let present else { return false }
        guard present == stamp else {
            notes.append("left \(full(path)), which was changed or replaced since it was installed")
            return false
        }
        try change(path, "cannot remove") { try System.unlink($0) }
        return true
    }
}
