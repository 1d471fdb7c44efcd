import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// A directory for loaded files that no other user may enter. It is removed with its contents, at the latest when this
/// object is released.
final class TemporaryDirectory: Sendable {
    let path: String
    /// The directory that contains it.
    let parent: String
    /// A lock that shows that the directory is in use. It is needed in a program's own directory, which the system does
    /// not clean up: a later load removes unlocked leftovers there.
    private let lock: DescriptorBox?
    private let isRemoved = Lock(false)

    /// The directories from which this process has removed the leftovers of killed processes: reading a large directory
    /// for each load would take too long. The set has at most `tidiedLimit` elements; then it is emptied.
    private static let tidied = Lock(Set<String>())
    private static let tidiedLimit = 64

    /// - Parameter directory: the parent directory; nil: the directory for temporary files.
    init(in directory: URL?) throws(PasteboardError) {
        let temporary = System.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let given = if let directory { try directory.localPath("cannot load into") } else { temporary }
        parent = given
        do throws(SystemError) {
            if directory != nil {
                let own = SystemString(given)
                if Self.isFirstLoad(into: given) { WorkingName.removeLeftovers(in: own) }
                let created = try WorkingName.createFolder(in: own)
                (path, lock) = (created.path.description, created.folder)
            } else {
                let digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
                (path, lock) = ("\(temporary)/pasteboard-\(digits)", nil)
                try System.makeDirectory(path)
            }
        } catch {
            throw Self.failure("cannot create a directory for the load", in: parent, error)
        }
    }

    deinit {
        remove()
    }

    private static func isFirstLoad(into directory: String) -> Bool {
        tidied.withLock { tidied in
            if tidied.count >= tidiedLimit, !tidied.contains(directory) { tidied.removeAll() }
            return tidied.insert(directory).inserted
        }
    }

    func remove() {
        let wasRemoved = isRemoved.withLock { exchange(&$0, with: true) }
        guard !wasRemoved, (try? FileManager.default.removeItem(atPath: path)) == nil else { return }
        // A loaded folder may contain directories that their owner may not write to.
        try? SystemProgram("chmod", ["-R", "u+rwX", "--", path]).wait()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the error of an operation that failed in this directory.
    func failure(_ what: String, _ error: any Error) -> PasteboardError {
        Self.failure(what, in: parent, error)
    }

    private static func failure(_ what: String, in directory: String, _ error: any Error) -> PasteboardError {
        let code = (error as? SystemError).map(PasteboardError.Code.init) ?? .refused
        var failure = PasteboardError(code, message: "\(what) in \(directory): \(error)")
        failure.shortMessage = "\(what): \((error as? SystemError)?.withoutDirectory ?? error)"
        return failure
    }
}
