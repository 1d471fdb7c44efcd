import FoundationEssentials

/// A file to send.
struct SentFile: Sendable {
    let url: URL
    /// Whether it was made for one load.
    var isTemporary = false

    /// Removes a file that was made for one load. The library has opened it, so its name is no longer needed.
    func wasOpened() {
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }
}
