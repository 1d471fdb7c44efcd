import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// A directory of our own, which nobody else may enter, for what is loaded. It goes with all that is in it, at the
/// latest with this.
final class TemporaryPlace: Sendable {
    let path: String
    private let isRemoved = Lock(false)

    init() throws(PasteboardError) {
        do throws(SystemError) {
            let directory = System.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
            let digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
            path = "\(directory)/pasteboard-\(digits)"
            try System.makeDirectory(path)
        } catch {
            throw Self.failure("cannot make a place for what is loaded", error)
        }
    }

    deinit {
        remove()
    }

    func remove() {
        let wasRemoved = isRemoved.withLock { isRemoved in
            defer { isRemoved = true }
            return isRemoved
        }
        guard !wasRemoved, (try? FileManager.default.removeItem(atPath: path)) == nil else { return }
        // A loaded folder may contain directories that their owner may not write to.
        try? SystemProgram("chmod", ["-R", "u+rwX", "--", path]).wait()
        try? FileManager.default.removeItem(atPath: path)
    }

    static func failure(_ what: String, _ error: any Error) -> PasteboardError {
        let isShortage = (error as? SystemError)?.isShortage ?? false
        return PasteboardError(isShortage ? .noSpace : .refused, message: "\(what): \(error)")
    }
}
