import CPasteboardSystem
import Glibc

/// The calls of the operating system. Other modules of this project do not call it directly, except to exit.
///
/// Every call retries after EINTR, reads errno before anything else can change it, and throws a `SystemError`. EAGAIN
/// is a value where it is an ordinary result.
package enum System {
    /// Runs `body`, and repeats it if a signal interrupts it. A negative result becomes an error.
    @inline(__always)
    static func call<Result: SignedInteger>(
        _ name: StaticString,
        _ subject: @autoclosure () -> String? = nil,
        _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = fails(name) ? -1 : body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(call: name, errno: code, subject: subject()) }
        }
    }

    /// Like `call`, but returns nil if the call would have to wait.
    @inline(__always)
    static func callUnlessBlocked<Result: SignedInteger>(
        _ name: StaticString,
        _ body: () -> Result
    ) throws(SystemError) -> Result? {
        while true {
            let result = fails(name) ? -1 : body()
            if result >= 0 { return result }
            let code = errno
            if code == EAGAIN { return nil }
            if code != EINTR { throw SystemError(call: name, errno: code) }
        }
    }

    /// Whether a test makes this call fail, in which case `errno` is set. Never true in a release build.
    @inline(__always)
    static func fails(_ name: StaticString) -> Bool {
        #if DEBUG
        FailingCalls.fails(name)
        #else
        false
        #endif
    }

    // MARK: Bytes

    /// Waits for at least one byte and reads at most `limit`. Returns none at the end of the file.
    package static func read(_ descriptor: CInt, upTo limit: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                count = try call("read", "descriptor \(descriptor)") {
                    Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes to a blocking or non-blocking descriptor, however long it takes.
    ///
    /// - Parameter raisesSignal: whether a pipe without a reader raises SIGPIPE, unless the program ignores it.
    package static func write(
        _ bytes: Span<UInt8>,
        to descriptor: CInt,
        raisesSignal: Bool = true
    ) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = try callUnlessBlocked("write") {
                // The pointer is valid in the closure, and the range is inside the span.
                bytes.extracting(offset...).withUnsafeBufferPointer { chunk in
                    raisesSignal
                        ? Glibc.write(descriptor, chunk.baseAddress, chunk.count)
                        : pbs_write_without_signal(descriptor, chunk.baseAddress, chunk.count)
                }
            }
            if let written {
                offset += written
            } else {
                _ = try poll([PollInterest(descriptor, .writable)], milliseconds: nil)
            }
        }
    }

    /// Writes without waiting, and without changing the descriptor's flags, which other programs may share. A pipe or
    /// socket that is ready takes so few bytes at once.
    ///
    /// - Parameter bytes: the first 4096 are written, which a pipe takes entirely or not at all.
    /// - Returns: whether they were written.
    package static func writeIfReady(_ bytes: Span<UInt8>, to descriptor: CInt) -> Bool {
        let ready = try? poll([PollInterest(descriptor, .writable)], milliseconds: 0)
        guard ready?.first == .writable else { return false }
        let written = try? callUnlessBlocked("write") {
            // The pointer is valid in the closure.
            bytes.extracting(first: Int(PIPE_BUF)).withUnsafeBufferPointer { chunk in
                Glibc.write(descriptor, chunk.baseAddress, chunk.count)
            }
        }
        return written != nil
    }

    // MARK: Readiness

    /// Waits until one of the descriptors is ready, but at most `milliseconds`, or without limit if nil.
    ///
    /// - Returns: the readiness of each, in order; all empty after a timeout.
    package static func poll(
        _ interests: [PollInterest],
        milliseconds: Int?
    ) throws(SystemError) -> [PollInterest.Readiness] {
        var entries = interests.map(\.entry)
        var span = entries.mutableSpan
        try wait(for: &span, milliseconds: milliseconds)
        return entries.map { PollInterest.Readiness(rawValue: $0.revents) }
    }

    /// Waits as the other method does, but without an allocation.
    package static func poll(
        _ first: PollInterest,
        _ second: PollInterest,
        milliseconds: Int?
    ) throws(SystemError) -> (first: PollInterest.Readiness, second: PollInterest.Readiness) {
        var entries: InlineArray<2, pollfd> = [first.entry, second.entry]
        var span = entries.mutableSpan
        try wait(for: &span, milliseconds: milliseconds)
        return (.init(rawValue: entries[0].revents), .init(rawValue: entries[1].revents))
    }

    private static func wait(for entries: inout MutableSpan<pollfd>, milliseconds: Int?) throws(SystemError) {
        let deadline = milliseconds.map { MonotonicClock.deadline(milliseconds: $0) }
        var timeout = milliseconds.map { CInt(clamping: max(0, $0)) } ?? -1
        while true {
            // The pointer is valid in the closure.
            let result = entries.withUnsafeMutableBufferPointer { entries in
                Glibc.poll(entries.baseAddress, nfds_t(entries.count), timeout)
            }
            if result >= 0 { return }
            let code = errno
            if code != EINTR { throw SystemError(call: "poll", errno: code) }
            if let deadline { timeout = MonotonicClock.millisecondsLeft(until: deadline) }
        }
    }

    // MARK: Descriptors

    package static func pipe() throws(SystemError) -> DescriptorPair {
        var ends: [CInt] = [-1, -1]
        _ = try call("pipe") { pbs_pipe(&ends) }
        return DescriptorPair(OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// A second descriptor of the same open file, with a number of at least `lowest`. By default, it never takes the
    /// number of a standard stream that was closed.
    package static func duplicate(
        _ descriptor: CInt,
        above lowest: CInt = 3
    ) throws(SystemError) -> OwnedDescriptor {
        let raw = try call("dup", "descriptor \(descriptor)") { fcntl(descriptor, F_DUPFD_CLOEXEC, lowest) }
        return OwnedDescriptor(adopting: raw)
    }

    /// Makes `number` a second descriptor of an open file, and closes the descriptor that it was. Child programs
    /// inherit it.
    package static func duplicate(_ descriptor: CInt, onto number: CInt) throws(SystemError) {
        _ = try call("dup2", "descriptor \(descriptor)") { dup2(descriptor, number) }
    }

    package static func isTerminal(_ descriptor: CInt) -> Bool {
        isatty(descriptor) == 1
    }

    /// The number of columns of a terminal; nil if the descriptor is no terminal, or if its width is not known.
    package static func terminalColumns(_ descriptor: CInt) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The flags with which the descriptor was opened, as `F_GETFL` returns them, including `O_ACCMODE` and `O_PATH`.
    package static func openFlags(of descriptor: CInt) throws(SystemError) -> CInt {
        try call("fcntl", "descriptor \(descriptor)") { fcntl(descriptor, F_GETFL) }
    }

    /// Makes reads and writes of a descriptor that was opened with `nonBlocking` wait.
    package static func makeBlocking(_ descriptor: CInt) throws(SystemError) {
        let flags = try openFlags(of: descriptor)
        _ = try call("fcntl", "descriptor \(descriptor)") { fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// Writes the bytes that a non-blocking descriptor takes, without SIGPIPE.
    ///
    /// - Returns: their number; nil if it is full.
    package static func writePart(_ bytes: Span<UInt8>, to descriptor: CInt) throws(SystemError) -> Int? {
        try callUnlessBlocked("write") {
            // The pointer is valid in the closure.
            bytes.withUnsafeBufferPointer { pbs_write_without_signal(descriptor, $0.baseAddress, $0.count) }
        }
    }
}

/// The two ends of a pipe (read, write) or of a socket pair.
package struct DescriptorPair: ~Copyable {
    package var first: OwnedDescriptor
    package var second: OwnedDescriptor

    init(_ first: consuming OwnedDescriptor, _ second: consuming OwnedDescriptor) {
        self.first = first
        self.second = second
    }

    /// Both descriptors, each with its own lifetime.
    package consuming func shared() -> (first: DescriptorBox, second: DescriptorBox) {
        (DescriptorBox(first), DescriptorBox(second))
    }

    /// Returns the first, and closes the second.
    package consuming func keepingFirst() -> OwnedDescriptor {
        first
    }

    /// Returns the second, and closes the first.
    package consuming func keepingSecond() -> OwnedDescriptor {
        second
    }
}

/// One descriptor of a `poll`, and the readiness to wait for.
package struct PollInterest: Sendable {
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int16

        package init(rawValue: Int16) {
            self.rawValue = rawValue
        }

        // The standard library's is generic, and is not specialized in other modules.
        package var isEmpty: Bool { rawValue == 0 }

        package static let readable = Readiness(rawValue: Int16(POLLIN))
        package static let writable = Readiness(rawValue: Int16(POLLOUT))
        /// The other end of a pipe is closed. It is reported even if it is not asked for.
        package static let ended = Readiness(rawValue: Int16(POLLHUP))
        package static let failed = Readiness(rawValue: Int16(POLLERR) | Int16(POLLNVAL))
    }

    package let descriptor: CInt
    package let readiness: Readiness

    package init(_ descriptor: CInt, _ readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }

    fileprivate var entry: pollfd { pollfd(fd: descriptor, events: readiness.rawValue, revents: 0) }
}
