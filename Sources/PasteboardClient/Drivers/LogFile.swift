package import PasteboardTransport

/// The log of programs that run in the background. A log above the limit is renamed when it is opened, and replaces the
/// previous renamed one.
package struct LogFile {
    static let limit: UInt64 = 1 << 20

    let path: String
    package let descriptor: DescriptorBox
    /// The size when the log was opened.
    private let offset: UInt64

    /// Opens the log; nil without a usable directory, or on a full disk. Messages are discarded then.
    package init?(environment: ProcessEnvironment = ProcessEnvironment()) {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = state ?? environment["HOME"].map({ "\($0)/.local/state" }), base.hasPrefix("/") else {
            return nil
        }
        path = "\(base)/pasteboard/log"
        do {
            // As for the socket, the directory must belong to this user, and no other user may enter it.
            try SocketPath(path).prepareDirectory()
            if let status = try System.status(at: path), status.size > Self.limit {
                try System.rename(path, to: "\(path).1")
            }
            let options: OpenOptions = [.appending, .creating, .notFollowingLinks, .nonBlocking]
            descriptor = DescriptorBox(try System.open(path, options, mode: 0o600))
            offset = try System.status(of: descriptor.raw).size
            guard System.hasRoom(descriptor.raw) else { return nil }
        } catch {
            return nil
        }
    }

    /// The last line of the first 4 KiB that were logged since the log was opened, without the broker's name. It
    /// usually contains the reason why the broker ended.
    var lastLine: String? {
        guard let file = try? System.open(path, .notFollowingLinks) else { return nil }
        return (try? System.bytes(of: file.raw, from: offset, count: 4096)).flatMap(Self.lastLine)
    }

    /// The last line of a broker's messages, without its name.
    static func lastLine(of bytes: [UInt8]) -> String? {
        guard let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last else { return nil }
        let name = ["pasteboardd: ", "pasteboard: broker: "].first { line.hasPrefix($0) } ?? ""
        return String(line.dropFirst(name.count))
    }
}
