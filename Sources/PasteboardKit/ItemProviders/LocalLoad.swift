import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load from a provider of this process. It calls the handler without the broker, with the deadlines that a broker
/// would set.
struct LocalLoad: Sendable {
    private let result = PendingResult<HandlerResult>()
    private let run: HandlerRun
    private let type: UniformType
    private let progress: LoadProgress?
    private let watch: HandlerWatch

    init(_ registration: ProviderContents.Registration, type: UniformType, progress: LoadProgress?) {
        self.type = type
        self.progress = progress
        let (result, watch) = (result, HandlerWatch(type, firstByteTimeout: registration.firstByteTimeout))
        self.watch = watch
        run = HandlerRun(registration.handler) { report in
            switch report {
            case .progress(let completed, let total):
                watch.reported()
                progress?.report(completed: completed, total: total < 0 ? nil : total)
            case .result(let outcome):
                let isFirst = result.resolve(outcome.mapError(PasteboardError.init(ofHandler:)))
                // The load has ended, so no one takes the chunks.
                if !isFirst { outcome.discard() }
            }
        }
    }

    /// Loads all bytes into memory.
    func data(_ options: LoadOptions) async throws(PasteboardError) -> Loaded<Data> {
        let deadline = options.timeout.map(LoadDeadline.init)
        let maximum = options.maximum
        do throws(PasteboardError) {
            let made = try await made(deadline)
            if case .data(let data) = made, data.count <= maximum {
                progress?.end(byteCount: data.count)
                return Loaded(value: data, type: type)
            }
            let load = try opened(made, deadline, maximum)
            var data = Data()
            while let chunk = try await load.reader.next() { data.append(chunk) }
            return Loaded(value: data, type: load.dataType)
        } catch {
            progress?.end(byteCount: nil)
            throw error
        }
    }

    /// Returns the load as soon as its handler has provided a result.
    func open(inPlace: Bool, _ options: LoadOptions) async throws(PasteboardError) -> OpenedLoad {
        let deadline = options.timeout.map(LoadDeadline.init)
        do throws(PasteboardError) {
            let made = try await made(deadline)
            var load = try opened(made, deadline, options.maximumByteCount)
            if inPlace, case .file(let file) = made, let path = file.passed.verified(path: file.located.path) {
                load.inPlace = URL(filePath: path, directoryHint: .notDirectory)
            }
            return load
        } catch {
            progress?.end(byteCount: nil)
            throw error
        }
    }

    private func opened(
        _ made: HandlerResult,
        _ deadline: LoadDeadline?,
        _ maximum: Int?
    ) throws(PasteboardError) -> OpenedLoad {
        let source: any ChunkSource
        var watch: HandlerWatch?
        var attributes: FileAttributes?
        switch made {
        case .data(let data): source = ChunkStream(data)
        case .file(let file):
            source = FileChunks(file)
            attributes = file.passed.attributes
        case .chunks(let chunks):
            source = chunks
            watch = self.watch
        }
        let reader = LoadReader(
            source,
            progress: progress,
            deadline: deadline,
            watch: watch,
            maximum: maximum.map { ($0, type) }
        )
        if let maximum, let count = reader.byteCount, count > maximum {
            throw .tooLarge(type, count, maximum: maximum)
        }
        var load = OpenedLoad(reader: reader, type: type)
        load.file = attributes
        return load
    }

    private func made(_ deadline: LoadDeadline?) async throws(PasteboardError) -> HandlerResult {
        let (result, run) = (result, run)
        let end: @Sendable (PasteboardError) -> Void = { error in
            if result.resolve(.failure(error)) { run.cancel() }
        }
        progress?.begin { end(.cancelled) }
        let timer = deadline.map { deadline in deadline.timer { end(deadline.error) } } ?? watch.timer(end)
        defer { timer.cancel() }
        return try await result.value {
            end(.cancelled)
        } start: {
            if !result.isResolved { run.start() }
        }
    }
}
