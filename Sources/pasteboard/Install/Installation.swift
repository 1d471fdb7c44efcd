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
    private let lock: DescriptorBox?
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
            try System.makeDirectory(prefix, mode: 0o755)
            entries.append(("", Self.directoryStamp))
        }
        lock = try Self.lock(prefix)
        let path = full(Self.manifest)
        guard let status = try System.status(at: path) else { return }
        guard status.kind == .regular else {
            throw CommandFailure(local: "cannot read \(path), because it is not a file; remove it")
        }
        let lines = String(decoding: try System.contents(of: path, limit: 1 << 20), as: UTF8.self)
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // Only paths below the prefix are ever removed.
            guard parts.count == 2, !parts[1].split(separator: "/").contains("..") else {
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

    func contains(_ path: String) -> Bool { entries.contains { $0.path == path } }

    // MARK: Writing

    mutating func write(_ path: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o644) throws {
        try makeDirectories(above: path)
        guard try mayReplace(path) else { return }
        try replace(path, bytes, mode: mode)
        try record(path)
    }

    /// Replaces a file at the end: a process that runs it keeps the earlier one.
    private func replace(_ path: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o644) throws {
        let target = SystemString(full(path))
        let file = try PendingFile(inDirectory: target.directory, mode: mode)
        try file.write(Array(bytes).span, for: target)
        try file.keep(as: target.lastComponent ?? target, mode: mode)
    }

    /// Makes a symbolic link.
    ///
    /// - Parameter replacesOthers: whether it replaces a file that this program has not written.
    mutating func link(_ path: String, to target: String, replacesOthers: Bool = true) throws {
        try makeDirectories(above: path)
        // The manifest lacks the links of an installation that was killed.
        if (try? System.linkTarget(full(path))) == SystemString(target) { return try record(path) }
        guard try mayReplace(path, evenOthers: replacesOthers) else { return }
        if try System.status(at: full(path)) != nil { try System.unlink(full(path)) }
        try System.makeLink(to: target, at: full(path))
        try record(path)
    }

    private mutating func mayReplace(_ path: String, evenOthers: Bool = true) throws -> Bool {
        guard let status = try System.status(at: full(path)) else { return true }
        guard status.kind != .directory || !evenOthers else {
            throw CommandFailure(local: "cannot replace \(full(path)), because it is a directory; move it")
        }
        guard let stamp = try stamp(of: path), !entries.contains(where: { $0 == (path, stamp) }) else { return true }
        notes.append(
            evenOthers
                ? "replaced \(full(path)), which 'pasteboard install' had not written"
                : "left \(full(path)), which is another program; remove it to install the link"
        )
        if !evenOthers { entries.removeAll { $0.path == path } }
        return evenOthers
    }

    private mutating func makeDirectories(above path: String) throws {
        let parts = path.split(separator: "/")
        for count in 0..<parts.count {
            let directory = parts.prefix(count).joined(separator: "/")
            guard try System.status(at: full(directory)) == nil else { continue }
            try System.makeDirectory(full(directory), mode: 0o755)
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
        try System.status(at: full(path)).map { "\($0.size).\($0.modifiedAt)" }
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
        try System.unlink(full(Self.manifest))
        // A directory with files of others stays.
        for entry in entries.reversed() where entry.stamp == Self.directoryStamp {
            try? System.removeDirectory(full(entry.path))
        }
        return removed.map { full($0.path) }
    }

    /// - Returns: whether the file was removed.
    @discardableResult
    private mutating func remove(_ path: String, unlessOtherThan stamp: String) throws -> Bool {
        guard let present = try self.stamp(of: path) else { return false }
        guard present == stamp else {
            notes.append("left \(full(path)), which was changed or replaced since it was installed")
            return false
        }
        try System.unlink(full(path))
        return true
    }
}
