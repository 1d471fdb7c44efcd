import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Bytes through a pipe of which another program has the other end.
enum PipeTransfer {
    private static let length = 64 << 10

    /// Passes the bytes of a pipe to a sink, until its writers have closed it.
    ///
    /// - Returns: their number.
    static func read(_ pipe: DescriptorBox, on loop: Loop, _ sink: ByteSink) async throws -> UInt64 {
        var count: UInt64 = 0
        while true {
            let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
            guard await loop.ready(PollInterest(pipe.raw, .readable), until: end) else {
                try Task.checkCancellation()
                throw Failure(.timeout, "the program has sent nothing for \(DesktopTime.stall / 1_000) s")
            }
            let bytes = try System.read(pipe.raw, upTo: length)
            if bytes.isEmpty { return count }
            count = count.addingClamped(UInt64(bytes.count))
            try await sink(bytes)
        }
    }
}

/// The output for a program that pastes: a pipe, or a socket. Writing never blocks, whatever the program does with its
/// own descriptors of the same file.
struct PipeOutput: Sendable {
    /// The bytes that a pipe which is ready takes at once.
    private static let least = 4_096

    private let descriptor: DescriptorBox
    private let isSocket: Bool
    /// Whether the program has the same open file, so that its flags say nothing.
    private let isShared: Bool
    private let loop: Loop

    /// - Parameter passed: the descriptor that the program has passed.
    init(_ passed: DescriptorBox, on loop: Loop) throws {
        self.loop = loop
        let kind = try System.status(of: passed.raw).kind
        isSocket = kind == .socket
        // Writing to a file can block, for example if it is on another machine.
        guard [.pipe, .socket].contains(kind) else {
            throw Failure(.invalidArgument, "the program wants its bytes in a \(kind)")
        }
        // An open file of its own, whose flags nobody else can change. The pipe of another user cannot be opened.
        if kind == .pipe, let own = try? System.open("/proc/self/fd/\(passed.raw)", [.writing, .nonBlocking]) {
            (descriptor, isShared) = (DescriptorBox(own), false)
        } else {
            (descriptor, isShared) = (passed, kind == .pipe)
        }
    }

    /// Writes bytes as fast as the program takes them.
    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if let count = try writePart(rest) {
                rest = rest.dropFirst(count)
                continue
            }
            let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
            guard await loop.ready(PollInterest(descriptor.raw, .writable), until: end) else {
                try Task.checkCancellation()
                throw Failure(.timeout, "the program has taken nothing for \(DesktopTime.stall / 1_000) s")
            }
        }
    }

    /// - Returns: nil if the program has to take bytes first.
    private func writePart(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        if isSocket { return try Socket.send(bytes.span, to: descriptor.raw) }
        guard isShared else { return try System.writePart(bytes.span, to: descriptor.raw) }
        let readiness = try System.poll([PollInterest(descriptor.raw, .writable)], milliseconds: 0)
        if readiness[0].isEmpty { return nil }
        let part = bytes.prefix(Self.least)
        return try System.writePart(part.span, to: descriptor.raw)
    }
}
