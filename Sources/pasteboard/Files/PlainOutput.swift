import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Standard output as it is.
final class PlainOutput: PasteSink {
    var leavesFile: Bool { false }
    var descriptor: CInt? { 1 }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) {}

    func write(_ bytes: Span<UInt8>) throws {
        try StandardStreams.write(bytes)
    }

    func failure(_ error: SystemError) -> any Error { StandardStreams.failure(error) }

    func finish() {}
}
