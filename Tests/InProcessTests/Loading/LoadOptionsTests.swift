import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

/// The largest number of bytes that a destination accepts.
@Suite(.inProcess)
struct LoadOptionsTests {
    private static let maximum = 1 << 20

    /// A source that writes until its destination has ended the load.
    private func endless(_ written: Counter, _ stopped: Gate) -> ItemProvider {
        let provider = ItemProvider()
        provider.registerByteStream(for: .utf8PlainText) { writer in
            defer { stopped.open() }
            while true {
                try await writer.write(Data(repeating: 97, count: 1 << 16))
                written.increment()
            }
        }
        return provider
    }

    enum Form: CaseIterable {
        case data
        case firstOf
        case object
        case automatic
        case chunks
    }

    @Test(
        "A load from a source that never ends fails at its maximum, and the source is stopped soon after",
        arguments: Form.allCases,
        LoadPlace.allCases
    )
    func endlessSource(form: Form, place: LoadPlace) async throws {
        let (written, stopped) = (Counter(), Gate())
        try await place.with(endless(written, stopped)) { provider in
            let progress = LoadProgress()
            let options = LoadOptions(maximumByteCount: Self.maximum, isAutomatic: form == .automatic)
            await expectError(.tooLarge) {
                switch form {
                case .data, .automatic:
                    _ = try await provider.loadData(for: .text, options: options, progress: progress)
                case .firstOf:
                    _ = try await provider.loadData(forFirstOf: [.text], options: options, progress: progress)
                case .object: _ = try await provider.load(String.self, options: options, progress: progress)
                case .chunks:
                    for try await _ in try await provider.loadBytes(for: .text, options: options, progress: progress) {}
                }
            }
            #expect(progress.isFinished || progress.fractionCompleted < 1)
            await stopped.wait()
        }
        // The maximum, the credit of the load, and what the sockets hold.
        #expect(written.value << 16 < Self.maximum + 12 << 20)
    }

    @Test("An announced size above the maximum fails the load before the first byte", arguments: LoadPlace.allCases)
    func announced(place: LoadPlace) async throws {
        let (provider, ended) = (ItemProvider(), Gate())
        provider.registerByteStream(for: .data, byteCount: 1 << 40) { writer in
            // The first byte comes only after both loads have failed.
            await ended.wait()
            try await writer.write(Data([7]))
        }
        try await place.with(provider) { provider in
            defer { ended.open() }
            let error = await expectError(.tooLarge) {
                try await provider.loadData(for: .data, options: LoadOptions(maximumByteCount: Self.maximum))
            }
            #expect(error?.message.contains("\(1 << 40)") == true)
            // Without a maximum of the caller, that of the library applies.
            await expectError(.tooLarge) { try await provider.loadData(for: .data) }
        }
    }

    @Test("As many bytes as the maximum are loaded, and one more is not", arguments: LoadPlace.allCases)
    func exact(place: LoadPlace) async throws {
        for file in [false, true] {
            let provider = ItemProvider()
            let bytes = Data(repeating: 7, count: 300_000)
            let url = FileManager.default.temporaryDirectory.appending(path: "bounds-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: url) }
            if file {
                try bytes.write(to: url)
                provider.registerFileRepresentation(for: .data) { completion in
                    completion(url, false, nil)
                    return nil
                }
            } else {
                provider.registerDataRepresentation(for: .data) { bytes }
            }
            try await place.with(provider) { provider in
                for form in [LoadedForm.data, .chunks, .file] {
                    let exact = LoadOptions(maximumByteCount: bytes.count)
                    let loaded = try await form.bytes(of: .data, from: provider, options: exact)
                    #expect(loaded == bytes)
                    let error = await #expect(throws: PasteboardError.self) {
                        let less = LoadOptions(maximumByteCount: bytes.count - 1)
                        return try await form.bytes(of: .data, from: provider, options: less)
                    }
                    #expect(error?.code == .tooLarge, "\(form)")
                }
            }
        }
    }
}
