import PasteboardTransport

/// Lines for people, on a stream that perhaps nobody reads: a pipe that is full may not hold the broker, so what does
/// not fit is dropped, and the next line that fits is preceded by how many were.
package final class LogStream: Sendable {
    private let descriptor: CInt
    private let program: String
    private let dropped = Lock(0)

    /// The descriptor stays the caller's, and its flags as they are: others may share them.
    package init(_ descriptor: CInt, program: String) {
        self.descriptor = descriptor
        self.program = program
    }

    package func write(_ line: String) {
        self.dropped.withLock { dropped in
            if dropped > 0 {
                let text = dropped == 1 ? "a line was" : "\(dropped) lines were"
                guard self.take("\(text) dropped here, because nobody read") else {
                    dropped += 1
                    return
                }
                dropped = 0
            }
            if !self.take(line) { dropped = 1 }
        }
    }

    private func take(_ line: String) -> Bool {
        System.writeIfReady(Array("\(self.program): \(line)\n".utf8).span, to: self.descriptor)
    }
}
