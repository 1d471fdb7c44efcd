/// Describes the frames in one direction of a connection as their bytes pass.
///
/// Like `FrameDecoder`, it stores no bytes: the caller passes the bytes that were not consumed again, with those after
/// them. It decodes the frames itself, so that it also describes those that the receiver would refuse.
package struct FrameReader: Sendable {
    private var decoder = FrameDecoder()
    /// Whether the bytes cannot be decoded. Where the next frame begins is not known then.
    private var isStopped = false

    package init() {
        decoder.takesDescriptors = true
    }

    /// Returns the next frame, of which at least the header has arrived; nil if more bytes are needed. The rest of a
    /// `data` frame is consumed without a result.
    ///
    /// Throws if the bytes are no frame. Later calls then return nil, and consume everything.
    package mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(Failure) -> FrameDescription? {
        while !isStopped {
            do throws(Failure) {
                guard let chunk = try decoder.next(in: bytes, at: &offset) else { return nil }
                guard chunk.isFirst else { continue }
                return FrameDescription(chunk.header, payload: bytes.extracting(chunk.payload))
            } catch {
                isStopped = true
                throw error
            }
        }
        offset = bytes.count
        return nil
    }
}
