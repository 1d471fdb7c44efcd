import PasteboardTransport

/// A temporary directory for the socket of a private broker, removed when this object is released.
final class PrivateDirectory {
    let path: String

    /// - Parameter name: a part of the directory's name.
    init(_ name: String) throws {
        let random = try System.randomBytes(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        path = "\(System.temporaryDirectory)/pasteboard-\(name)-\(random)"
        try System.makeDirectory(path)
    }

    var socket: String { "\(path)/socket" }

    deinit {
        for file in ["socket", "socket.lock", "start.lock"] { try? System.unlink("\(path)/\(file)") }
        try? System.removeDirectory(path)
    }
}
