import CBenchFloor
import Glibc
import PasteboardTransport

/// `copy` and `paste` as whole processes while the broker runs: standard input is a file, and standard output is a pipe
/// that this program drains.
struct CommandCase: BenchCase {
    /// The timeout of a command in milliseconds. A clipboard that takes longer is left out.
    private static let timeout: CInt = 60_000

    let name: String
    let subject = "pasteboard, tmux, xclip, wl-clipboard"
    private let bytes: Int
    private let count: Int

    static func all(quick: Bool) -> [CommandCase] {
        [
            CommandCase("copy and paste 4 KiB", 4 << 10, quick ? 1 : 11),
            CommandCase("copy and paste 1 MiB", 1 << 20, quick ? 1 : 5),
            CommandCase("copy and paste 64 MiB", quick ? 2 << 20 : 64 << 20, 1),
            CommandCase("copy and paste 512 MiB", quick ? 4 << 20 : 512 << 20, 1),
        ]
    }

    private init(_ name: String, _ bytes: Int, _ count: Int) {
        self.name = name
        self.bytes = bytes
        self.count = count
    }

    func run(on stage: Stage) throws -> [CaseResult] {
        let input = "\(stage.directory)/input"
        // Text, because some clipboards accept nothing else.
        try stage.fill(input, bytes: bytes, with: UInt8(ascii: "x"))
        defer { try? System.unlink(input) }
        let floor = try Clipboard.floor(stage)
        defer { floor.end() }
        let makers: [(String, (Stage) throws -> Clipboard)] = [
            ("pasteboard", Clipboard.pasteboard), ("tmux", Clipboard.tmux), ("xclip", Clipboard.xclip),
            ("wl-clipboard", Clipboard.wayland),
        ]
        var clipboards: [Clipboard] = []
        defer { for clipboard in clipboards { clipboard.end() } }
        let subjects = makers.map { name, make in
            do {
                let clipboard = try make(stage)
                clipboards.append(clipboard)
                return (name, { try measure(stage, name, clipboard, input) } as Comparison.Measure)
            } catch {
                return (name, { throw error } as Comparison.Measure)
            }
        }
        let kinds = ["both", "copy", "paste"].map { FigureKind(name: $0, unit: "ms") }
        return try Comparison(self.name, kinds).run(
            rounds: stage.options.rounds,
            floor: { try measure(stage, "the C program", floor, input) },
            subjects
        )
    }

    private func measure(_ stage: Stage, _ name: String, _ clipboard: Clipboard, _ input: String) throws -> [Double] {
        var copies: [Double] = []
        var pastes: [Double] = []
        for _ in 0..<count {
            copies.append(try time { try copy(stage, name, clipboard, input) })
            pastes.append(try time { try paste(stage, name, clipboard) })
        }
        return [zip(copies, pastes).map { $0 + $1 }.median, copies.median, pastes.median]
    }

    /// The duration of `body` in milliseconds.
    private func time(_ body: () throws -> Void) throws -> Double {
        let start = MonotonicClock.now()
        try body()
        return Double(MonotonicClock.now() - start) / 1e6
    }

    private func copy(_ stage: Stage, _ name: String, _ clipboard: Clipboard, _ input: String) throws {
        var configuration = clipboard.configuration(clipboard.copy)
        let file = try System.open(input)
        configuration.input = .descriptor(file.raw)
        // Some commands leave a process running, which must not keep the output of this program open.
        configuration.output = .null
        try end(try ChildProcess(configuration), name)
    }

    private func paste(_ stage: Stage, _ name: String, _ clipboard: Clipboard) throws {
        var configuration = clipboard.configuration(clipboard.paste)
        let pipe = try System.pipe()
        configuration.output = .descriptor(pipe.second.raw)
        let process = try ChildProcess(configuration)
        let output = pipe.keepingFirst()
        let count = bench_drain(output.raw, stage.interrupts, Self.timeout)
        if count != Int64(bytes) { try? process.kill(SIGKILL) }
        guard count != -2 else { throw BenchError("interrupted") }
        try end(process, name)
        guard count == Int64(bytes) else { throw Skip("\(name) pasted \(count) of \(bytes) bytes") }
    }

    private func end(_ process: ChildProcess, _ name: String) throws {
        if let end = try process.wait(milliseconds: Int(Self.timeout)) {
            guard end == .exited(0) else { throw Skip("\(name): \(end)") }
        } else {
            try process.kill(SIGKILL)
            _ = try process.wait()
            throw Skip("\(name) takes longer than \(Self.timeout) ms")
        }
    }
}
