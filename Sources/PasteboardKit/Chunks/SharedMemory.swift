public import FoundationEssentials
import PasteboardTransport
import PasteboardWire

/// Bytes that a source makes right where they can be handed to other processes: nothing of them is copied on the way.
///
/// The bytes are written once, when the memory is made; then it is sealed, and nobody can change it any more. Where the
/// other side takes no descriptors, the same bytes are sent.
///
///     provider.registerSharedMemory(for: .png) {
///         try SharedMemory(capacity: largest) { output in encode(image, into: &output) }
///     }
public final class SharedMemory: Sendable {
    let file: MemoryFile
    /// How many bytes were written.
    public let byteCount: Int

    /// Makes room for `capacity` bytes, of which `body` writes as many as it needs, from the first on.
    ///
    /// Room that is not written costs nothing.
    ///
    /// - Throws: ``PasteboardError`` with `noSpace` if the system has no memory for it, `limitExceeded` if it has no
    ///   descriptor, and what `body` throws.
    public convenience init(capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws -> Void) throws {
        try self.init(count: capacity) { try MemoryFile(capacity: max(0, capacity), filledBy: body) }
    }

    /// Makes a copy of bytes that are elsewhere already, for what is handed over more than once: for a single time `Data`
    /// is faster.
    ///
    /// - Throws: ``PasteboardError`` with `noSpace` if the system has no memory for it, `limitExceeded` if it has no
    ///   descriptor.
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
