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

/// The output for a program that pastes: a pipe, mostly. Writing never blocks, whatever the program does with its own
/// descriptors of the same file.
struct PipeOutput: Sendable {
    private let descriptor: DescriptorBox
    private let isSocket: Bool
    private let loop: Loop

    /// - Parameter passed: the descriptor that the program has passed.
    init(_ passed: DescriptorBox, on loop: Loop) throws {
        self.loop = loop
        let kind = try System.status(of: passed.raw).kind
        isSocket = kind == .socket
        switch kind {
        // An open file of its own, whose flags nobody else can change.
        case .pipe:
            descriptor = DescriptorBox(try System.open("/proc/self/fd/\(passed.raw)", [.writing, .nonBlocking]))
        case .socket, .regular: descriptor = passed
        default: throw Failure(.invalidArgument, "the program wants its bytes in a \(kind)")
        }
    }

    /// Writes bytes as fast as the program takes them.
    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count =
                try isSocket
                ? Socket.send(rest.span, to: descriptor.raw) : System.writePart(rest.span, to: descriptor.raw)
            if let count {
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
}
