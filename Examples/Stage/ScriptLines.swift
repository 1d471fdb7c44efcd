import Glibc

/// The lines of standard input. They are read on a thread of their own: a blocked read must not keep Swift's threads from
/// whatever the program does meanwhile.
enum ScriptLines {
    private static let lines = AsyncStream.makeStream(of: String.self)

    /// Begins to read. Once in a process.
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
