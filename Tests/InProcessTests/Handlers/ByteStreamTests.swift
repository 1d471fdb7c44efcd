import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Representations whose handlers write the bytes one after the other as they are made.
@Suite(.inProcess)
struct ByteStreamTests {
    @Test(
        "A destination that does not read pauses the writer, and releasing the chunks ends it",
        arguments: LoadPlace.allCases
    )
    func backPressure(place: LoadPlace) async throws {
        let written = Lock(0)
        let ended = Gate()
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            defer { ended.open() }
            // The writer never ends by itself.
            while true {
                try await writer.write(Data(repeating: 37, count: 65_536))
                written.withLock { $0 += 65_536 }
            }
        }
        try await place.with(provider) { provider in
            for try await _ in try await provider.loadBytes(for: .data) {
                // The bytes that may be in transfer: the credit windows of both ends and the buffers of the sockets.
                let count = written.withLock { $0 }
                #expect(count < 16 << 20)
                break
            }
        }
        await ended.wait()
    }
}
