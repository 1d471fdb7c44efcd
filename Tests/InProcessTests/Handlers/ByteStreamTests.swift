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

    @Test("Progress that the writer reports is the progress of the load", arguments: LoadPlace.allCases)
    func progress(place: LoadPlace) async throws {
        let (reported, goOn) = (Gate(), Gate())
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            writer.progress.totalUnitCount = 200
            writer.progress.completedUnitCount = 50
            await goOn.wait()
            try await writer.write(Data([1]))
        }
        try await place.with(provider) { provider in
            let progress = LoadProgress()
            let watch = Task {
                for await snapshot in progress.snapshots where snapshot.fractionCompleted == 0.25 { reported.open() }
            }
            let load = Task { try await provider.loadData(for: .data, progress: progress) }
            await reported.wait()
            goOn.open()
            let loaded = try await load.value
            #expect(loaded == Data([1]))
            watch.cancel()
        }
    }
}
