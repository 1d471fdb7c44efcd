import Glibc
import PasteboardTransport
import PasteboardWire

/// A stream of lines for administrators, which possibly no process reads.
///
/// Neither a full pipe nor a disk that hangs must block the broker. A line that cannot be written is dropped, and the
/// next one that is written is preceded by the number of dropped lines.
package final class LogStream: Sendable {
    /// The time for writing a line to a file, in milliseconds.
    private static let patience = 500

    private let descriptor: CInt
    private let program: String
    private let isFile: Bool
    private let dropped = Lock(0)
    /// Whether a line is being written to a file.
    private let isWriting = Lock(false)

    /// The caller keeps the descriptor. Its flags do not change, because other programs may share them.
    package init(_ descriptor: CInt, program: String) {
        self.descriptor = descriptor
        self.program = program
        isFile = (try? System.status(of: descriptor))?.kind == .regular
    }

    package func write(_ line: String) {
        dropped.withLock { dropped in
            if dropped > 0 {
                let text = dropped == 1 ? "1 line was" : "\(dropped) lines were"
                guard writeIfReady("\(text) dropped here, because they could not be written") else {
                    dropped += 1
                    return
                }
                dropped = 0
            }
            if !writeIfReady(line) { dropped = 1 }
        }
    }

    /// The bytes of a line, of which `writeIfReady` writes at most `PIPE_BUF`. A longer line, such as that of a frame
    /// with many types, ends with `…`.
    private static func cut(_ line: String) -> [UInt8] {
        guard line.utf8.count >= Int(PIPE_BUF) else { return Array("\(line)\n".utf8) }
        let end = "…\n"
        return Array((line.prefix(utf8Count: Int(PIPE_BUF) - end.utf8.count) + end).utf8)
    }

    private func writeIfReady(_ line: String) -> Bool {
        let bytes = Self.cut("\(program): \(line)")
        guard isFile else { return System.writeIfReady(bytes.span, to: descriptor) }
        // The line before may still hang.
        guard !isWriting.withLock({ exchange(&$0, with: true) }) else { return false }
        let isWritten = PatientCall<Bool>.run(patience: Self.patience) { [self] _ in
            defer { isWriting.withLock { $0 = false } }
            return System.writeIfReady(bytes.span, to: descriptor)
        }
        return isWritten ?? false
    }
}
