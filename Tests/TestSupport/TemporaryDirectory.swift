import Glibc
import PasteboardTransport

/// A directory for one test. It is removed with all its contents when this value is deallocated.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        // A short name: the path of a socket below it has at most 107 bytes, which include a boot id.
        let digits = try System.randomBytes(4).map { String($0, radix: 16) }.joined()
        let base = System.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        path = "\(base)/pb-\(digits)"
        try System.makeDirectory(path)
    }

    deinit {
        // `rm` also removes links and unreadable directories.
        _ = try? ChildProcess(.init(path: "/bin/rm", arguments: ["-rf", path])).wait()
    }

    /// The path of an entry.
    package subscript(name: String) -> String { "\(path)/\(name)" }

    /// Makes a file and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = try System.open(self[name], [.writing, .creating, .truncating])
        try System.write(bytes.span, to: file.raw)
        return self[name]
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    package func contents(of name: String) throws -> [UInt8] {
        try System.contents(of: self[name], limit: .max)
    }

    package func makeDirectory(_ name: String, mode: UInt32 = 0o700) throws -> String {
        try System.makeDirectory(self[name], mode: mode)
        return self[name]
    }

    /// The names in a directory in order, including hidden ones.
    package func names(in name: String = ".") -> [String] {
        Self.names(at: self[name])
    }

    /// The same for any directory.
    package static func names(at path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
