import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The destination of pasted bytes.
protocol PasteSink: AnyObject {
    /// Called before the load: throws if this destination cannot take a representation, so that it is not loaded at
    /// all.
    func check(_ type: UniformType, isArchive: Bool) throws
    /// Called before the first byte.
    ///
    /// - Parameters:
    ///   - isArchive: whether the bytes are a tar archive of the folder that is pasted.
    ///   - file: the attributes of the pasted file, if it is one.
    func begin(
        _ type: UniformType,
        isArchive: Bool,
        suggestedName: String?,
        file: FileAttributes?
    ) throws
    func write(_ bytes: Span<UInt8>) throws
    /// Whether an early end leaves a partial file, so that signals have to wait until it is removed.
    var leavesFile: Bool { get }
    /// The descriptor that the kernel may write all bytes to; nil if each byte has to be inspected, or none is needed.
    var descriptor: CInt? { get }
    /// Removes the permissions that the source's file has lost.
    func narrow(to mode: UInt32) throws(SystemError)
    /// The error for a failed write; nil if the bytes are not needed.
    func failure(_ error: SystemError) -> (any Error)?
    /// Called when all bytes have arrived.
    ///
    /// - Returns: the paths of the new files and folders, if their names were chosen here.
    func finish() throws -> [SystemString]
    /// Ends an unfinished line; called before anything else is written to a terminal that shows the bytes.
    func endLine()
}

extension PasteSink {
    func check(_ type: UniformType, isArchive: Bool) throws {}

    /// Writes to `descriptor`.
    func write(_ bytes: Span<UInt8>) throws {
        guard let descriptor else { return }
        do {
            try System.write(bytes, to: descriptor)
        } catch {
            if let failure = failure(error) { throw failure }
        }
    }

    func endLine() {}

    func narrow(to mode: UInt32) throws(SystemError) {}
}

/// Standard output as it is.
final class PlainOutput: PasteSink {
    var leavesFile: Bool { false }
    var descriptor: CInt? { 1 }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) {}

    func failure(_ error: SystemError) -> (any Error)? { StandardStreams.failure(error) }

    func finish() throws -> [SystemString] { [] }
}
