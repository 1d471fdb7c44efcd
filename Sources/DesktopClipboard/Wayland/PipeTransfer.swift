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

    /// Writes bytes as fast as the program takes them.
    static func write(_ bytes: [UInt8], to pipe: DescriptorBox, on loop: Loop) async throws {
        try System.makeNonBlocking(pipe.raw)
        var rest = bytes[...]
        while !rest.isEmpty {
            if let count = try System.writePart(rest.span, to: pipe.raw) {
                rest = rest.dropFirst(count)
                continue
            }
            let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
            guard await loop.ready(PollInterest(pipe.raw, .writable), until: end) else {
                try Task.checkCancellation()
                throw Failure(.timeout, "the program has taken nothing for \(DesktopTime.stall / 1_000) s")
            }
        }
    }
}
