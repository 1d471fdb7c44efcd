import CPasteboardSystem
import Glibc

/// The one place where this project calls the operating system.
///
/// Every call retries EINTR, reads errno before anything else can change it, and throws a `SystemError`; EAGAIN, where
/// it is an ordinary answer, is a value.
package enum System {
    /// Runs `body` until a signal does not interrupt it; a negative result becomes an error.
    @inline(__always)
    static func call<Result: SignedInteger>(
        _ name: StaticString,
        _ subject: @autoclosure () -> String? = nil,
        _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(call: name, errno: code, subject: subject()) }
        }
    }

    /// As `call`, but nil where the call would have to wait.
    @inline(__always)
    static func callUnlessBlocked<Result: SignedInteger>(
        _ name: StaticString,
        _ body: () -> Result
    ) throws(SystemError) -> Result? {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code == EAGAIN { return nil }
            if code != EINTR { throw SystemError(call: name, errno: code) }
        }
    }

    // MARK: Bytes

    /// Reads at most `limit` bytes, waiting for the first; empty at the end of the file.
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

    /// Writes all bytes, waiting as long as it takes, on blocking and non-blocking descriptors alike.
    ///
    /// A pipe without a reader raises SIGPIPE unless the program ignores it.
    package static func write(_ bytes: Span<UInt8>, to descriptor: CInt) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = try callUnlessBlocked("write") {
                // The pointer lives as long as the closure, and the range is inside the span.
                bytes.extracting(offset...).withUnsafeBufferPointer { piece in
                    Glibc.write(descriptor, piece.baseAddress, piece.count)
                }
            }
            if let written {
                offset += written
            } else {
                _ = try poll([PollInterest(descriptor, .writable)], milliseconds: nil)
            }
        }
    }

    /// Writes without waiting, whatever the descriptor's flags are, which may be shared with other programs: a pipe or
    /// socket that is ready takes this little at once.
    ///
    /// - Parameter bytes: the first 4096 are written, which is what a pipe takes whole or not at all.
    /// - Returns: whether they were.
    package static func writeIfReady(_ bytes: Span<UInt8>, to descriptor: CInt) -> Bool {
        let ready = try? poll([PollInterest(descriptor, .writable)], milliseconds: 0)
        guard ready?.first == .writable else { return false }
        let written = try? callUnlessBlocked("write") {
            // The pointer lives as long as the closure.
            bytes.extracting(first: Int(PIPE_BUF)).withUnsafeBufferPointer { piece in
                Glibc.write(descriptor, piece.baseAddress, piece.count)
            }
        }
        return written != nil
    }

    // MARK: Readiness

    /// Waits until one of the descriptors is ready, at most `milliseconds`, or for ever with nil.
    ///
    /// - Returns: the readiness of each, in order; all empty when the time is over.
    package static func poll(
        _ interests: [PollInterest],
        milliseconds: Int?
    ) throws(SystemError) -> [PollInterest.Readiness] {
        var entries = interests.map { pollfd(fd: $0.descriptor, events: $0.readiness.rawValue, revents: 0) }
        let deadline = milliseconds.map { MonotonicClock.deadline(milliseconds: $0) }
        while true {
            let timeout = deadline.map(MonotonicClock.millisecondsLeft(until:)) ?? -1
            let result = Glibc.poll(&entries, nfds_t(entries.count), timeout)
            if result >= 0 { return entries.map { PollInterest.Readiness(rawValue: $0.revents) } }
            let code = errno
            if code != EINTR { throw SystemError(call: "poll", errno: code) }
        }
    }

    // MARK: Descriptors

    package static func pipe() throws(SystemError) -> DescriptorPair {
        var ends: [CInt] = [-1, -1]
        _ = try call("pipe") { pbs_pipe(&ends) }
        return DescriptorPair(OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// A second descriptor of the same open file, with a number of at least `lowest`: by default it is never mistaken
    /// for a standard stream that somebody closed.
    package static func duplicate(
        _ descriptor: CInt,
        above lowest: CInt = 3
    ) throws(SystemError) -> OwnedDescriptor {
        let raw = try call("dup", "descriptor \(descriptor)") { fcntl(descriptor, F_DUPFD_CLOEXEC, lowest) }
        return OwnedDescriptor(adopting: raw)
    }

    /// Makes `number` a second descriptor of an open file, in place of what it was. Programs that are started inherit it.
    package static func duplicate(_ descriptor: CInt, onto number: CInt) throws(SystemError) {
        _ = try call("dup2", "descriptor \(descriptor)") { dup2(descriptor, number) }
    }

    package static func isTerminal(_ descriptor: CInt) -> Bool {
        isatty(descriptor) == 1
    }

    /// How the descriptor was opened: the flags that `F_GETFL` tells, `O_ACCMODE` and `O_PATH` among them.
    package static func openFlags(of descriptor: CInt) throws(SystemError) -> CInt {
        try call("fcntl", "descriptor \(descriptor)") { fcntl(descriptor, F_GETFL) }
    }
}

/// Two descriptors that belong together: the ends of a pipe (read, write) or of a socket pair.
package struct DescriptorPair: ~Copyable {
    package var first: OwnedDescriptor
    package var second: OwnedDescriptor

    init(_ first: consuming OwnedDescriptor, _ second: consuming OwnedDescriptor) {
        self.first = first
        self.second = second
    }

    /// Both, each with a lifetime of its own.
    package consuming func shared() -> (first: DescriptorBox, second: DescriptorBox) {
        (DescriptorBox(first), DescriptorBox(second))
    }

    /// Closes the second.
    package consuming func keepingFirst() -> OwnedDescriptor {
        first
    }

    /// Closes the first.
    package consuming func keepingSecond() -> OwnedDescriptor {
        second
    }
}

/// One line of a `poll`.
package struct PollInterest: Sendable {
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int16

        package init(rawValue: Int16) {
            self.rawValue = rawValue
        }

        package static let readable = Readiness(rawValue: Int16(POLLIN))
        package static let writable = Readiness(rawValue: Int16(POLLOUT))
        package static let hungUp = Readiness(rawValue: Int16(POLLHUP))
        package static let failed = Readiness(rawValue: Int16(POLLERR) | Int16(POLLNVAL))
    }

    package let descriptor: CInt
    package let readiness: Readiness

    package init(_ descriptor: CInt, _ readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }
}
