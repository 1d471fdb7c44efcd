import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// The bytes of a file on their way to the broker.
@Suite(.pure) struct InputBytesTests {
    @Test("A sparse file takes as little memory as its data", arguments: [0, 9_000_000, 19_999_999] as [UInt64])
    func holes(place: UInt64) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "sparse")
        do {
            let file = try System.open(path, .writing)
            try System.seek(file.raw, to: place)
            try System.write([7].span, to: file.raw)
            try System.truncate(file.raw, to: 20_000_000)
        }
        let input = try InputBytes(SystemString(path))
        #expect(try input.isLarge())
        let memory = try input.memory(MemoryFile(), room: KeptRoom(Welcome())) { _ in }
        let bytes = try memory.contents(limit: 20_000_000)
        #expect(bytes.count == 20_000_000 && bytes[Int(place)] == 7)
        #expect(bytes.reduce(0) { $0 + Int($1) } == 7)
        // After the bytes that were read to find the type, at most the block of the one byte is data.
        var (offset, count) = (UInt64(0), UInt64(0))
        while offset < 20_000_000 {
            let data = try System.data(of: memory.descriptor.raw, from: offset)
            count += UInt64(data.count)
            offset = data.isEmpty ? 20_000_000 : data.upperBound
        }
        #expect(count < 1_000_000)
    }
}
