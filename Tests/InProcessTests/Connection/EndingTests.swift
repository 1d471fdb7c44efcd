import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Every load ends exactly once, whatever ends it, and whatever its form and place.
@Suite(.inProcess)
struct EndingTests {
    /// A way to end a load before its source finishes.
    enum Means: String, CaseIterable {
        case task
        case progress
        case deadline

        var code: PasteboardError.Code { self == .deadline ? .timeout : .cancelled }

        func end(_ task: Task<Data, any Error>, _ progress: LoadProgress) {
            switch self {
            case .task: task.cancel()
            case .progress: progress.cancel()
            case .deadline: break
            }
        }
    }

    /// The state of the source when the load ends.
    enum Stage: String, CaseIterable {
        /// The handler waits and has written nothing.
        case silent
        /// The handler has written some bytes, and waits.
        case halfway
    }

    /// A source that continues only when it is cancelled.
    private struct WaitingSource {
        let isWaiting = Gate()
        let isCancelled = Gate()

        func provider(_ stage: Stage) -> ItemProvider {
            let provider = ItemProvider()
            switch stage {
            case .silent:
                provider.registerDataRepresentation(for: .utf8PlainText) {
                    await wait()
                    return Data("late".utf8)
                }
            case .halfway:
                provider.registerByteStream(for: .utf8PlainText) { writer in
                    try await writer.write(Data("half".utf8))
                    await wait()
                }
            }
            return provider
        }

        private func wait() async {
            await withTaskCancellationHandler {
                isWaiting.open()
                await isCancelled.wait()
            } onCancel: {
                isCancelled.open()
            }
        }
    }

    @Test("A load can be ended before it begins", arguments: Means.allCases, LoadPlace.allCases)
    func before(means: Means, place: LoadPlace) async throws {
        for form in LoadedForm.allCases {
            let source = WaitingSource()
            try await place.with(source.provider(.silent)) { provider in
                let (gate, progress) = (Gate(), LoadProgress())
                let options = LoadOptions(timeout: means == .deadline ? .zero : nil)
                let task = Task {
                    await gate.wait()
                    return try await form.bytes(from: provider, options: options, progress: progress)
                }
                means.end(task, progress)
                gate.open()
                let error = await #expect(throws: PasteboardError.self) { try await task.value }
                #expect(error?.code == means.code, "\(form)")
                #expect(!progress.isFinished)
                if means == .task, form == .data || form == .chunks { #expect(!source.isWaiting.isOpen) }
            }
        }
    }

    @Test("A load can be ended while the source produces the bytes", arguments: Stage.allCases, LoadPlace.allCases)
    func during(stage: Stage, place: LoadPlace) async throws {
        for means in Means.allCases {
            for form in LoadedForm.allCases {
                let source = WaitingSource()
                try await place.with(source.provider(stage)) { provider in
                    let progress = LoadProgress()
                    let options = LoadOptions(timeout: means == .deadline ? .milliseconds(20) : nil)
                    let task = Task { try await form.bytes(from: provider, options: options, progress: progress) }
                    if means != .deadline { await source.isWaiting.wait() }
                    means.end(task, progress)
                    let error = await #expect(throws: PasteboardError.self) { try await task.value }
                    #expect(error?.code == means.code, "\(form) by \(means)")
                    #expect(!progress.isFinished)
                    // The deadline may pass before the handler is called.
                    if means != .deadline { await source.isCancelled.wait() }
                }
            }
        }
    }

    @Test("Nothing changes the result of a load after its end", arguments: LoadPlace.allCases)
    func after(place: LoadPlace) async throws {
        try await place.with(.text("whole")) { provider in
            for form in LoadedForm.allCases {
                let (progress, options) = (LoadProgress(), LoadOptions(timeout: .seconds(600)))
                let task = Task { try await form.bytes(from: provider, options: options, progress: progress) }
                let data = try await task.value
                #expect(data == Data("whole".utf8))
                task.cancel()
                progress.cancel()
                #expect(progress.isFinished && !progress.isCancelled, "\(form)")
            }
        }
    }

    @Test(
        "The callback forms call their callback once, with the error that ended the load",
        arguments: LoadPlace.allCases
    )
    func callbacks(place: LoadPlace) async throws {
        for form in LoadedForm.allCases where form != .chunks {
            let source = WaitingSource()
            try await place.with(source.provider(.silent)) { provider in
                let (calls, called) = (Counter(), Gate())
                let code = Lock(PasteboardError.Code?.none)
                let end: @Sendable (Bool, (any Error)?) -> Void = { hasResult, error in
                    #expect(!hasResult)
                    calls.increment()
                    code.withLock { $0 = (error as? PasteboardError)?.code }
                    called.open()
                }
                let progress =
                    switch form {
                    case .data, .chunks:
                        provider.loadDataRepresentation(for: .text) { end($0 != nil, $1) }
                    case .file:
                        provider.loadFileRepresentation(forTypeIdentifier: "public.text") { end($0 != nil, $1) }
                    case .inPlace:
                        provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text") { end($0 != nil, $2) }
                    case .object:
                        provider.loadObject(ofClass: String.self) { end($0 != nil, $1) }
                    }
                await source.isWaiting.wait()
                progress.cancel()
                progress.cancel()
                await called.wait()
                await source.isCancelled.wait()
                // By the end of another load, the handler's late bytes have been discarded.
                let other = try await form.bytes(from: .text("other"))
                #expect(other == Data("other".utf8))
                #expect(calls.value == 1 && code.withLock { $0 } == .cancelled, "\(form)")
            }
        }
    }

    @Test("Cancelling one load does not affect another load of the same representation", arguments: LoadPlace.allCases)
    func oneOfTwo(place: LoadPlace) async throws {
        let asked = Counter()
        let both = Gate()
        let go = Gate()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) {
            if asked.increment() == 2 { both.open() }
            await go.wait()
            return Data("whole".utf8)
        }
        try await place.with(provider) { provider in
            let first = Task { try await provider.loadData(for: .data) }
            let second = Task { try await provider.loadData(for: .data) }
            await both.wait()
            first.cancel()
            await #expect(throws: PasteboardError.self) { try await first.value }
            go.open()
            let data = try await second.value
            #expect(data == Data("whole".utf8))
        }
    }

    @Test(
        "Loads that are cancelled at any moment end, and later loads get the right bytes",
        arguments: Seeds.fixed(1, 2)
    )
    func anyMoment(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let data = Data(repeating: 7, count: 300_000)
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { data }
        try await LoadPlace.there.with(provider) { provider in
            for _ in 0..<150 {
                let inChunks = Bool.random(using: &generator)
                let load = Task {
                    guard inChunks else { return try await provider.loadData(for: .data).count }
                    var count = 0
                    for try await chunk in try await provider.loadBytes(for: .data) { count += chunk.count }
                    return count
                }
                for _ in 0..<Int.random(in: 0..<40, using: &generator) { await Task.yield() }
                load.cancel()
                switch await load.result {
                case .success(let count): #expect(count == data.count)
                case .failure(let error): #expect((error as? PasteboardError)?.code == .cancelled)
                }
            }
            let whole = try await provider.loadData(for: .data)
            #expect(whole == data)
        }
    }

    // MARK: Time limits of registrations

    /// Ways in which a handler does nothing.
    enum Silence: String, CaseIterable {
        case data
        case asyncData
        case file
        case asyncFile
        case memory
        case stream
        case onceAndKept

        fileprivate func provider(limit: Duration, until end: Gate) -> ItemProvider {
            let (provider, type) = (ItemProvider(), UniformType.utf8PlainText)
            // The test keeps the completion: a completion that is released counts as an answer.
            let held = Held()
            switch self {
            case .data:
                provider.registerDataRepresentation(for: type, firstByteTimeout: limit) { completion in
                    held.keep(completion)
                    return nil
                }
            case .asyncData:
                provider.registerDataRepresentation(for: type, firstByteTimeout: limit) {
                    await end.wait()
                    return Data()
                }
            case .onceAndKept:
                provider.registerDataRepresentation(for: type, policy: .onceAndKept, firstByteTimeout: limit) {
                    await end.wait()
                    return Data()
                }
            case .file:
                provider.registerFileRepresentation(for: type, firstByteTimeout: limit) { completion in
                    held.keep(completion)
                    return LoadProgress()
                }
            case .asyncFile:
                provider.registerFileRepresentation(for: type, firstByteTimeout: limit) {
                    await end.wait()
                    return URL(filePath: "/nonexistent")
                }
            case .memory:
                provider.registerSharedMemory(for: type, firstByteTimeout: limit) {
                    await end.wait()
                    return try SharedMemory(Data())
                }
            case .stream:
                provider.registerByteStream(for: type, firstByteTimeout: limit) { _ in await end.wait() }
            }
            return provider
        }
    }

    private final class Held: Sendable {
        private let things = Lock<[any Sendable]>([])
        func keep(_ thing: any Sendable) { things.withLock { $0.append(thing) } }
    }

    @Test(
        "A handler that does nothing ends its load at the time limit of its registration",
        .tags(.f48),
        arguments: Silence.allCases,
        LoadPlace.allCases
    )
    func stalled(silence: Silence, place: LoadPlace) async throws {
        let end = Gate()
        defer { end.open() }
        try await place.with(silence.provider(limit: .milliseconds(100), until: end)) { provider in
            for form in LoadedForm.allCases {
                let error = await #expect(throws: PasteboardError.self) { try await form.bytes(from: provider) }
                #expect(error?.code == .sourceStalled, "\(form)")
            }
        }
    }

    @Test("Progress that a handler reports keeps its load alive beyond the limit", arguments: LoadPlace.allCases)
    func keptAlive(place: LoadPlace) async throws {
        // On a busy machine, a handler may not run within a short limit.
        var isAlive = false
        for limit in [1, 10, 100, 300] where !isAlive {
            isAlive = try await isKeptAlive(in: place, beyond: .seconds(limit))
        }
        #expect(isAlive)
    }

    private func isKeptAlive(in place: LoadPlace, beyond limit: Duration) async throws -> Bool {
        // A load whose handler reports nothing shows when the limit has passed.
        let (end, isOver) = (Gate(), Gate())
        defer { end.open() }
        let provider = Silence.asyncData.provider(limit: limit, until: end)
        provider.registerByteStream(for: .png, firstByteTimeout: limit) { writer in
            writer.progress.totalUnitCount = 1_000_000
            while !isOver.isOpen {
                writer.progress.completedUnitCount += 1
                // The sleep stands for the handler's work; the test does not wait for it.
                try await Task.sleep(for: .milliseconds(10))
            }
            try await writer.write(Data("alive".utf8))
        }
        return try await place.with(provider) { provider in
            async let alive = provider.loadData(for: .png)
            await expectError(.sourceStalled) { try await provider.loadData(for: .text) }
            isOver.open()
            let data = try? await alive
            return data == Data("alive".utf8)
        }
    }
}
