import FoundationEssentials
import PasteboardTransport

/// A load from a provider of this process: its handler is called, and no broker hears of it.
struct LocalLoad {
    private let reply: Reply<Data>
    private let run: HandlerRun
    private let type: UniformType
    private let progress: LoadProgress?

    init(_ handler: DataHandler, type: UniformType, progress: LoadProgress?) {
        let reply = Reply<Data>()
        self.reply = reply
        self.type = type
        self.progress = progress
        run = HandlerRun(handler) { completed, total in
            progress?.report(completed: completed, total: total < 0 ? nil : total)
        } completion: { result in
            reply.resolve(Result { try result.get().contents() }.mapError(PasteboardError.init(ofHandler:)))
        }
    }

    func run(timeout: Duration?) async throws(PasteboardError) -> Loaded<Data> {
        let reply = reply
        let run = run
        let end: @Sendable (PasteboardError) -> Void = { error in
            if reply.resolve(.failure(error)) { run.cancel() }
        }
        progress?.begin { end(.cancelled) }
        let timer = timeout.map { timeout in
            Task {
                try await Task.sleep(for: timeout)
                end(PasteboardError(.timeout, message: "the handler did not give \(type.identifier) within \(timeout)"))
            }
        }
        defer { timer?.cancel() }
        do throws(PasteboardError) {
            let data = try await reply.value {
                end(.cancelled)
            } start: {
                if !reply.isResolved { run.start() }
            }
            progress?.end(byteCount: data.count)
            return Loaded(value: data, type: type)
        } catch {
            progress?.end(byteCount: nil)
            throw error
        }
    }
}
