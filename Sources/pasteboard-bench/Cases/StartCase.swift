import PasteboardTransport

/// The time from the start of a server to its first answer, and its memory at that time.
struct StartCase: BenchCase {
    let name = "start"
    let subject = "pasteboardd, dbus-daemon"

    func run(on stage: Stage) throws -> [CaseResult] {
        let kinds = [
            FigureKind(name: "first answer", unit: "ms"), FigureKind(name: "idle RSS", unit: "KiB"),
            FigureKind(name: "idle PSS", unit: "KiB"),
        ]
        let count = stage.options.isQuick ? 1 : 11
        func measure(_ server: Server) -> Comparison.Measure {
            {
                var times: [Double] = []
                var memory: ProcessMemory?
                for _ in 0..<count {
                    let socket = try stage.socket()
                    let start = MonotonicClock.now()
                    let process = try server.start(on: stage, socket)
                    defer { process.end() }
                    try server.ask(socket)
                    times.append(Double(MonotonicClock.now() - start) / 1e6)
                    memory = try ProcessMemory(of: process.id)
                }
                return [times.median, memory?.resident ?? .nan, memory?.proportional ?? .nan]
            }
        }
        _ = try stage.floorProgram()
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: measure(.floor),
            [Server.broker, .dbus].map { ($0.rawValue, measure($0)) }
        )
    }
}
