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
            let error = await #expect(throws: PasteboardError.self) {
                switch form {
                case .data:
                    _ = try await provider.loadData(
                        for: .text,
                        options: LoadOptions(maximumByteCount: Self.maximum),
                        progress: progress
                    )
                case .firstOf:
                    _ = try await provider.loadData(
                        forFirstOf: [.text],
                        options: LoadOptions(maximumByteCount: Self.maximum),
                        progress: progress
                    )
                case .object:
                    _ = try await provider.load(
                        String.self,
                        options: LoadOptions(maximumByteCount: Self.maximum),
                        progress: progress
                    )
                case .automatic:
                    _ = try await provider.loadData(
                        for: .text,
                        options: LoadOptions(maximumByteCount: Self.maximum, isAutomatic: true),
                        progress: progress
                    )
                case .chunks:
                    let chunks = try await provider.loadBytes(
                        for: .text,
                        options: LoadOptions(maximumByteCount: Self.maximum),
                        progress: progress
                    )
                    for try await _ in chunks {}
                }
            }
            #expect(error?.code == .tooLarge)
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
            let error = await #expect(throws: PasteboardError.self) {
                try await provider.loadData(for: .data, options: LoadOptions(maximumByteCount: Self.maximum))
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("\(1 << 40)") == true)
            // Without a maximum of the caller, that of the library applies.
            let standard = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
            #expect(standard?.code == .tooLarge)
        }
    }

    private enum ExactForm: CaseIterable {
        case data
        case chunks
        case file
    }

    /// Loads with a maximum, and returns the number of bytes.
    private func length(_ provider: ItemProvider, in form: ExactForm, maximum: Int) async throws -> Int {
        switch form {
        case .data:
            return try await provider.loadData(for: .data, options: LoadOptions(maximumByteCount: maximum)).count
        case .chunks:
            var count = 0
            for try await chunk in try await provider.loadBytes(
                for: .data,
                options: LoadOptions(maximumByteCount: maximum)
            ) {
                count += chunk.count
            }
            return count
        case .file:
            return try await provider.withLoadedFile(for: .data, options: LoadOptions(maximumByteCount: maximum)) {
                file in
                try Data(contentsOf: file.value).count
            }
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
                let loaded = try await provider.loadData(
                    for: .data,
                    options: LoadOptions(maximumByteCount: bytes.count)
                )
                #expect(loaded == bytes)
                #expect(try await length(provider, in: .chunks, maximum: bytes.count) == bytes.count)
                #expect(try await length(provider, in: .file, maximum: bytes.count) == bytes.count)
                for form in ExactForm.allCases {
                    let error = await #expect(throws: PasteboardError.self) {
                        _ = try await length(provider, in: form, maximum: bytes.count - 1)
                    }
                    #expect(error?.code == .tooLarge, "\(form)")
                }
            }
        }
    }
}
