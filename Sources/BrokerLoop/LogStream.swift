import PasteboardTransport

/// A stream of lines for administrators, which possibly no process reads.
///
/// A full pipe must not block the broker. A line that does not fit is dropped, and the next one that fits is preceded
/// by the number of dropped lines.
package final class LogStream: Sendable {
    private let descriptor: CInt
    private let program: String
    private let dropped = Lock(0)

    /// The caller keeps the descriptor. Its flags do not change, because other programs may share them.
    package init(_ descriptor: CInt, program: String) {
        self.descriptor = descriptor
        self.program = program
    }

    package func write(_ line: String) {
        dropped.withLock { dropped in
            if dropped > 0 {
                let text = dropped == 1 ? "1 line was" : "\(dropped) lines were"
                guard take("\(text) dropped here, because the log was not read") else {
                    dropped += 1
                    return
                }
                dropped = 0
            }
            if !take(line) { dropped = 1 }
        }
    }

    private func take(_ line: String) -> Bool {
        System.writeIfReady(Array("\(program): \(line)\n".utf8).span, to: descriptor)
    }
}
