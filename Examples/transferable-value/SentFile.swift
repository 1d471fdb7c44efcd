import FoundationEssentials

/// A file that is given.
struct SentFile: Sendable {
    let url: URL
    /// Whether it was made for one load.
    var isTemporary = false

    /// Once the library has opened it, nobody needs the name of a file that was made for one load.
    func wasOpened() {
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }
}
