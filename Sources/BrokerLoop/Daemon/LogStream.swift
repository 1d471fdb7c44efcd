import Glibc
import PasteboardTransport
import PasteboardWire

/// A stream of lines for administrators, which possibly no process reads.
///
/// Neither a full pipe nor a disk that hangs must block the broker. A line that cannot be written is dropped, and the
/// next one that is written is preceded by the number of dropped lines.
package final class LogStream: Sendable {
    /// The time for a call to a disk, in milliseconds.
    static let timeout = 500

    /// A descriptor to which lines are written.
    private struct Target {
        let descriptor: CInt
        let isFile: Bool
        /// Whether a line is being written to a file.
        let isWriting = Flag()
        var dropped = 0
    }

    private final class Flag: Sendable {
        let isSet = Lock(false)
    }

    private let program: String
    private let targets: Lock<[Target]>

    /// The caller keeps the descriptors. Their flags do not change, because other programs may share them.
    init(_ descriptors: [CInt], program: String) {
        self.program = program
        targets = Lock(
            descriptors.map { raw in
                Target(descriptor: raw, isFile: (try? System.status(of: raw))?.kind == .regular)
            }
        )
    }

    package convenience init(_ descriptor: CInt, program: String) {
        self.init([descriptor], program: program)
    }

    /// Writes only to a file from now on, in place of standard error, where a crash leaves its message, too.
    func settle(on file: CInt) {
        targets.withLock { targets in
            guard (try? System.duplicate(file, onto: 2)) != nil else { return }
            targets = [Target(descriptor: 2, isFile: true)]
        }
    }

    package func write(_ line: String) {
        targets.withLock { targets in
            for index in targets.indices {
                if targets[index].dropped > 0 {
                    let dropped = targets[index].dropped
                    let text = dropped == 1 ? "1 line was" : "\(dropped) lines were"
                    guard write("\(text) dropped here, because they could not be written", to: targets[index]) else {
                        targets[index].dropped += 1
                        continue
                    }
                }
                targets[index].dropped = write(line, to: targets[index]) ? 0 : 1
            }
        }
    }

    /// The bytes of a line, of which `writeIfReady` writes at most `PIPE_BUF`. A longer line, such as that of a frame
    /// with many types, ends with `…`.
    private static func cut(_ line: String) -> [UInt8] {
        guard line.utf8.count >= Int(PIPE_BUF) else { return Array("\(line)\n".utf8) }
        let end = "…\n"
        return Array((line.prefix(utf8Count: Int(PIPE_BUF) - end.utf8.count) + end).utf8)
    }

    private func write(_ line: String, to target: Target) -> Bool {
        let bytes = Self.cut("\(program): \(line)")
        guard target.isFile else { return System.writeIfReady(bytes.span, to: target.descriptor) }
        // The line before may still hang.
        let (descriptor, isWriting) = (target.descriptor, target.isWriting)
        guard !isWriting.isSet.withLock({ exchange(&$0, with: true) }) else { return false }
        let isWritten = DiskCall.run(milliseconds: Self.timeout, with: [descriptor]) { _ in
            defer { isWriting.isSet.withLock { $0 = false } }
            return System.writeIfReady(bytes.span, to: descriptor)
        }
        return isWritten ?? false
    }
}
