import Glibc

/// The lines of standard input. A separate thread reads them: a blocking read must not occupy a thread of Swift's
/// pool.
enum ScriptLines {
    private static let lines = AsyncStream.makeStream(of: String.self)

    /// Begins to read. Call it once in a process.
    static func read() -> AsyncStream<String> {
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { _ in
                ScriptLines.forward()
                return nil
            },
            nil
        )
        if result == 0 { pthread_detach(thread) } else { lines.continuation.finish() }
        return lines.stream
    }

    private static func forward() {
        while let line = readLine() { lines.continuation.yield(line) }
        lines.continuation.finish()
    }
}
