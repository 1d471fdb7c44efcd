import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Answers the asks for promised representations with the output of shell commands, with files, and with archives of
/// folders: several asks at the same time, each at the speed of its destination.
final class ServedItems: Sendable {
    /// The number of asks that are open at once; the broker lets further ones wait.
    static let maximumAsks: UInt32 = 16
    /// The longest time between progress reports for a program without output, in milliseconds.
    private static let longestSilence: UInt64 = 5_000

    private struct Amount {
        var sent: UInt64 = 0
        var wanted: UInt64? = 0
    }

    /// The items as they are promised, and the origins of their bytes.
    let items: [Item]
    private let origins: [[PromisedOrigin?]]
    private let programs: RunningPrograms
    private let amount = Lock(Amount())
    /// Called with a line for each load that is over.
    private let report: (@Sendable (String) -> Void)?
    /// Called with the bytes sent so far, and with the size of all requested bytes; nil if one of the sizes is not
    /// known before the end.
    private let progress: (@Sendable (UInt64, UInt64?) -> Void)?

    init(
        _ items: [Item],
        _ origins: [[PromisedOrigin?]],
        on loop: Loop,
        report: (@Sendable (String) -> Void)? = nil,
        progress: (@Sendable (UInt64, UInt64?) -> Void)? = nil
    ) {
        self.items = items
        self.origins = origins
        programs = RunningPrograms(on: loop)
        self.report = report
        self.progress = progress
    }

    /// Ends all programs, and returns when they have ended.
    func stop() async { await programs.endAll() }

    /// Answers an ask.
    func answer(_ ask: AskStream) async throws {
        let (item, index) = (ask.item, ask.representation)
        guard item < origins.count, index < origins[item].count, let origin = origins[item][index] else {
            throw Failure(.sourceFailed, "this program does not offer representation \(index) of item \(item)")
        }
        let record = AskRecord(items[item].representations[index].type)
        var sent: UInt64 = 0
        func count(_ total: UInt64) {
            let amount = amount.withLock { amount in
                amount.sent &+= total &- sent
                return amount
            }
            sent = total
            progress?(amount.sent, amount.wanted)
        }
        do {
            if case .file(let file) = origin {
                let byteCount = file.byteCount
                amount.withLock { $0.wanted = $0.wanted.map { $0 &+ byteCount } }
                try await file.send(byteCount, to: ask, sent: count)
            } else {
                amount.withLock { $0.wanted = nil }
                try await send(origin, record.type, to: ask, sent: count)
            }
        } catch {
            let text = ask.isOver ? "cancelled" : CommandFailure(error).text
            report?(record.line(sent, text ?? "cancelled"))
            throw error
        }
        report?(record.line(sent, "done"))
    }

    private func send(
        _ origin: PromisedOrigin,
        _ type: String,
        to ask: AskStream,
        sent report: (UInt64) -> Void
    ) async throws {
        let program: ServedProgram
        do {
            program = try ServedProgram(origin, programs)
        } catch {
            let reason = (error as? Failure)?.text ?? "\((error as? SystemError)?.withoutDirectory ?? error)"
            throw Failure(.sourceFailed, "cannot run the program for \(type): \(reason)")
        }
        if let name = origin.folderName {
            ask.announce(byteCount: nil, content: .folderArchive, fileName: name)
        }
        // A third of the broker's deadline, so that one late report does not end the load.
        let progress = ask.connection.welcome.progressMilliseconds ?? .max
        let allowed = min(ask.fields.firstByteMilliseconds ?? .max, progress) / 3
        let interval = Int(max(10, min(Self.longestSilence, allowed)))
        while let bytes = try await program.next(for: ask, reportingEach: interval) {
            try await ask.send(bytes)
            report(program.byteCount)
        }
        try program.check()
        ask.end()
    }

    /// Makes the bytes of a promise for the broker, which keeps them.
    ///
    /// - Parameter acquire: called before more bytes are taken; returns false if there is no room for them.
    func bytes(of promise: HandOver.Promise, _ acquire: (UInt64) -> Bool) async throws -> MadeBytes {
        guard let origin = origins[promise.item][promise.representation] else {
            throw Failure(.sourceFailed, "the bytes can be read only once")
        }
        let limit = Failure(.limitExceeded, "more than \(ByteCount.text(HandOver.byteLimit)) in all")
        if case .file(let file) = origin {
            guard let bytes = try file.bytes(acquire) else { throw limit }
            return MadeBytes(bytes)
        }
        let program = try ServedProgram(origin, programs)
        var all: [UInt8] = []
        while let bytes = try await program.next() {
            guard acquire(UInt64(bytes.count)) else { throw limit }
            all += bytes
        }
        try program.check()
        if origin.folderName != nil { return MadeBytes(all, form: .folderArchive) }
        return MadeBytes(all)
    }
}

/// The type and start time of a load, for the line that reports its end.
struct AskRecord {
    let type: String
    private let startedAt = MonotonicClock.now()

    init(_ type: String) {
        self.type = type
    }

    /// `public.png: 3.0 MiB in 12 ms: done`
    func line(_ byteCount: UInt64, _ outcome: String) -> String {
        let milliseconds = (MonotonicClock.now() - startedAt) / 1_000_000
        return "\(type): \(ByteCount.text(byteCount)) in \(milliseconds) ms: \(outcome)"
    }
}
