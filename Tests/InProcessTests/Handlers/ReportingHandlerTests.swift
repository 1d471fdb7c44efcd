import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Asynchronous handlers that report progress.
@Suite(.inProcess)
struct ReportingHandlerTests {
    enum Kind: String, CaseIterable, Sendable {
        case data
        case file
        case stream

        func register(
            with provider: ItemProvider,
            file: URL,
            _ handler: @escaping @Sendable (LoadProgress) async throws -> Data
        ) {
            switch self {
            case .data:
                provider.registerDataRepresentation(for: .data) { progress in try await handler(progress) }
            case .file:
                provider.registerFileRepresentation(for: .data) { progress in
                    try await handler(progress).write(to: file)
                    return file
                }
            case .stream:
                provider.registerByteStream(for: .data) { try await $0.write(handler($0.progress)) }
            }
        }
    }

    private let directory: TemporaryDirectory
    private var file: URL { URL(filePath: directory["file"]) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        "Progress that a handler reports reaches the destination with the handler's unit counts",
        arguments: Kind.allCases,
        LoadPlace.allCases
    )
    func reports(kind: Kind, place: LoadPlace) async throws {
        let (seen, provider) = (Gate(), ItemProvider())
        kind.register(with: provider, file: file) { progress in
            progress.totalUnitCount = 4
            progress.completedUnitCount = 3
            await seen.wait()
            return Data("made".utf8)
        }
        try await place.with(provider) { provider in
            let progress = LoadProgress()
            async let loaded = provider.loadData(for: .data, progress: progress)
            // The handler continues only when its report has arrived.
            for await snapshot in progress.snapshots where snapshot.completedUnitCount == 3 {
                #expect(snapshot.totalUnitCount == 4 && snapshot.fractionCompleted == 0.75)
                break
            }
            seen.open()
            let made = try await loaded
            #expect(made == Data("made".utf8))
            #expect(progress.isFinished && progress.fractionCompleted == 1)
        }
    }

    // In every common shape, the closure alone determines which of the three forms of a handler the compiler chooses.
    @Test("The form of a handler follows from its closure")
    func shapes() async throws {
        let data = Data("bytes".utf8)
        @Sendable func make() async throws -> Data { data }
        @Sendable func make(_ progress: LoadProgress) async throws -> Data { data }
        @Sendable func make(_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) -> LoadProgress? {
            completion(data, nil)
            return nil
        }
        let url = URL(filePath: try directory.write("bytes", to: "file"))
        let providers = (0..<20).map { _ in ItemProvider() }

        // Closures with a callback.
        providers[0].registerDataRepresentation(for: .data) { completion in
            completion(data, nil)
            return nil
        }
        providers[1].registerDataRepresentation(for: .data) { completion in
            let progress = LoadProgress()
            Task { completion(try await make(), nil) }
            return progress
        }
        providers[2].registerDataRepresentation(for: .data) { completion in
            guard !data.isEmpty else {
                completion(nil, CancellationError())
                return nil
            }
            completion(data, nil)
            return LoadProgress()
        }
        providers[3].registerDataRepresentation(for: .data) {
            $0(data, nil)
            return nil
        }
        providers[4].registerDataRepresentation(for: .data) { completion in make(completion) }
        providers[5].registerDataRepresentation(
            for: .data,
            loadHandler: { completion in
                completion(data, nil)
                return nil
            }
        )
        providers[6].registerDataRepresentation(for: .data) {
            (completion: @escaping @Sendable (Data?, (any Error)?) -> Void) -> LoadProgress? in
            completion(data, nil)
            return nil
        }
        providers[7].registerFileRepresentation(for: .data) { completion in
            completion(url, false, nil)
            return nil
        }

        // Closures without a parameter.
        providers[8].registerDataRepresentation(for: .data) { data }
        providers[9].registerDataRepresentation(for: .data) { try await make() }
        providers[10].registerDataRepresentation(for: .data) {
            let made = try await make()
            return made
        }
        providers[11].registerFileRepresentation(for: .data) { url }
        providers[12].registerSharedMemory(for: .data) { try SharedMemory(data) }

        // Closures with a progress.
        providers[13].registerDataRepresentation(for: .data) { progress in data }
        providers[14].registerDataRepresentation(for: .data) { _ in data }
        providers[15].registerDataRepresentation(for: .data) { progress in
            progress.totalUnitCount = 1
            return try await make()
        }
        providers[16].registerDataRepresentation(for: .data) { progress in try await make(progress) }
        providers[17].registerDataRepresentation(for: .data) { (progress: LoadProgress) -> Data in data }
        providers[18].registerDataRepresentation(for: .data) { try await make($0) }
        providers[19].registerFileRepresentation(for: .data) { progress in url }

        for (index, provider) in providers.enumerated() {
            let loaded = try await provider.loadData(for: .data)
            #expect(loaded == data, "\(index)")
        }
        // A closure that returns nil uses the form with a callback; one that only throws uses the form with a progress.
        let (silent, failing) = (ItemProvider(), ItemProvider())
        silent.registerDataRepresentation(for: .data) { _ in nil }
        failing.registerDataRepresentation(for: .data) { _ in throw CancellationError() }
        let silence = await #expect(throws: PasteboardError.self) { try await silent.loadData(for: .data) }
        #expect(silence?.message.contains("never called its completion") == true)
        await #expect(throws: PasteboardError.self) { try await failing.loadData(for: .data) }
    }
}
