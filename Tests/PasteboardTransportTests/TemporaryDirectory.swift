import Glibc
import PasteboardTransport

/// A directory of this user that is removed with the value.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws {
        var template = Array("\(System.environment("TMPDIR") ?? "/tmp")/pasteboard-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", errno: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        var remove = ChildProcess.Configuration(path: "/bin/rm", arguments: ["-rf", path])
        remove.errors = .null
        _ = try? ChildProcess(remove).wait()
    }
}
