import BrokerModel
import PasteboardWire

/// Decodes bytes as frames, whole and in pieces. Both must return the same frames and the same error.
struct FrameScript {
    private let settings: UInt8
    private let cuts: [UInt8]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        let input = Choices(bytes)
        settings = input.byte()
        cuts = input.take(3)
        self.bytes = input.rest()
    }

    private struct Frame: Equatable {
        let header: FrameHeader
        var payload: [UInt8]
        var isComplete: Bool
    }

    private struct Result: Equatable {
        var frames: [Frame] = []
        var error: Failure?
    }

    func run() {
        let whole = decode(piece: { _ in bytes.count })
        check(decode(piece: { _ in 1 }) == whole, "frames differ if their bytes arrive one by one")
        let pieces = decode { Int(cuts.isEmpty ? 1 : cuts[$0 % cuts.count]) + 1 }
        check(pieces == whole, "frames differ if their bytes arrive in pieces")
        for frame in whole.frames {
            check(frame.payload.count <= Int(frame.header.length), "a payload is longer than its header announces")
            check(!frame.isComplete || frame.payload.count == Int(frame.header.length), "a payload is incomplete")
            var encoder = FrameMemory()
            encoder.append(header: frame.header)
            check(FrameHeader(encoder.bytes.span, at: 0) == frame.header, "a header changes if it is encoded")
        }
    }

    /// Decodes the bytes as they arrive in pieces. Bytes that the decoder does not consume are passed again.
    private func decode(piece: (Int) -> Int) -> Result {
        var decoder = FrameDecoder(limitBeforeHello: settings & 1 == 0 ? nil : WireLimits.helloLength)
        decoder.takesDescriptors = settings & 2 != 0
        var result = Result()
        var (waiting, arrived, number): ([UInt8], Int, Int) = ([], 0, 0)
        while arrived < bytes.count {
            let end = min(bytes.count, arrived + max(1, piece(number)))
            waiting += bytes[arrived..<end]
            (arrived, number) = (end, number + 1)
            var consumed = 0
            do throws(Failure) {
                while let chunk = try decoder.next(in: waiting.span, at: &consumed) {
                    check(chunk.payload.upperBound <= consumed, "a payload ends after the consumed bytes")
                    add(chunk, Array(waiting[chunk.payload]), to: &result)
                    if settings & 4 != 0 { decoder.limitBeforeHello = nil }
                }
            } catch {
                result.error = error
                return result
            }
            check(consumed <= waiting.count, "the decoder has consumed more bytes than there are")
            waiting.removeFirst(consumed)
            check(
                waiting.count < FrameHeader.byteCount + WireLimits.controlLength,
                "the decoder waits for more than one control frame"
            )
        }
        return result
    }

    /// Adds a part of a frame. Only data frames have several parts.
    private func add(_ chunk: FrameChunk, _ payload: [UInt8], to result: inout Result) {
        let last = result.frames.count - 1
        if chunk.isFirst {
            check(last < 0 || result.frames[last].isComplete, "a frame begins inside another one")
            result.frames.append(Frame(header: chunk.header, payload: payload, isComplete: chunk.isLast))
        } else {
            check(last >= 0 && !result.frames[last].isComplete, "a part of a frame has no beginning")
            check(result.frames[last].header == chunk.header, "the header of a frame changes")
            result.frames[last].payload += payload
            result.frames[last].isComplete = chunk.isLast
        }
    }
}
