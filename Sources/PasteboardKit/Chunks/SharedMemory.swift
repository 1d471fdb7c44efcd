public import FoundationEssentials
import PasteboardTransport
import PasteboardWire

/// Memory with the bytes of a representation, which is passed to other processes without a copy.
///
/// The bytes are written once, when the memory is made. Then the memory is sealed and can no longer change. If the
/// destination does not accept descriptors, the same bytes are sent.
///
///     provider.registerSharedMemory(for: .png) {
///         try SharedMemory(capacity: largest) { output in encode(image, into: &output) }
///     }
public final class SharedMemory: Sendable {
    let file: MemoryFile
    /// The number of bytes that were written.
    public let byteCount: Int

    /// Reserves `capacity` bytes. `body` writes as many of them as it needs, from the start.
    ///
    /// Bytes that are not written cost nothing.
    ///
    /// - Throws: ``PasteboardError`` with `noSpace` if the system has not enough memory, or `limitExceeded` if it has
    ///   no free descriptor; and the error of `body`.
    public convenience init(capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws -> Void) throws {
        try self.init(count: capacity) { try MemoryFile(capacity: max(0, capacity), filledBy: body) }
    }

    /// Copies existing bytes. This is useful if they are passed several times; for a single time `Data` is faster.
    ///
    /// - Throws: ``PasteboardError`` with `noSpace` if the system has not enough memory, or `limitExceeded` if it has
    ///   no free descriptor.
    public convenience init(_ data: Data) throws {
        try self.init(count: data.count) {
            let file = try MemoryFile()
            try file.append(data.span)
            try file.seal()
            return file
        }
    }

    private init(count: Int, _ make: () throws -> MemoryFile) throws {
        do {
            file = try make()
            byteCount = Int(clamping: try file.size)
        } catch let error as SystemError {
            throw PasteboardError(
                PasteboardError.Code(rawValue: (error.shortage ?? .noSpace).rawValue),
                message: "cannot make shared memory of \(count) bytes: \(error)"
            )
        }
    }
}
