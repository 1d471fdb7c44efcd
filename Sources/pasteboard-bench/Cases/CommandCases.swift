import PasteboardTransport

/// The commands of a clipboard.
struct ClipboardCommands {
    let name: String
    let copy: String
    let paste: String
}

extension BenchCase {
    /// `copy` and `paste` as whole processes, from a file and to a pipe, while their server runs. Other clipboards are
    /// compared with `pasteboard`.
    static func commands(_ peers: [ClipboardCommands], _ stage: Stage) -> [BenchCase] {
        let program = stage.pasteboard
        let ours = ClipboardCommands(name: "pasteboard", copy: "\(program) copy", paste: "\(program) paste")
        let sizes = [("4 KiB", 4 << 10, stage.isQuick ? 1 : 11), ("512 MiB", stage.isQuick ? 4 << 20 : 512 << 20, 1)]
        return sizes.flatMap { size, bytes, count in
            let measureOurs = {
                let socket = try stage.socket()
                let broker = try stage.startBroker(socket)
                defer { broker.end() }
                try System.setEnvironment("PASTEBOARD_SOCKET", to: socket)
                return try measure(ours, bytes, count, stage)
            }
            let name = "copy and paste \(size)"
            let figures: KeyValuePairs = ["both": "ms", "copy": "ms", "paste": "ms"]
            let own = BenchCase(name: name, subject: ours.name, figures: figures, measure: measureOurs)
            return [own]
                + peers.map { peer in
                    BenchCase(name: name, subject: peer.name, figures: figures) {
                        try measure(peer, bytes, count, stage)
                    } floor: {
                        try measureOurs()
                    }
                }
        }
    }

    private static func measure(
        _ commands: ClipboardCommands,
        _ bytes: Int,
        _ count: Int,
        _ stage: Stage
    ) throws -> [Double] {
        // Text, because some clipboards accept nothing else. It differs between the cases, so that a failed copy is
        // noticed.
        let chunk = [UInt8](repeating: count == 1 ? UInt8(ascii: "x") : UInt8(ascii: "y"), count: min(bytes, 1 << 20))
        let path = "\(stage.directory)/\(bytes) bytes"
        if try System.status(at: path) == nil {
            let file = try System.open(path, [.writing, .creating])
            for _ in 0..<bytes / chunk.count { try System.write(chunk.span, to: file.raw) }
        }
        var copies: [Double] = []
        var pastes: [Double] = []
        for _ in 0..<count {
            let file = try System.open(path)
            let start = MonotonicClock.now()
            try run(commands.copy, input: file.raw, stage) { _ in }
            let middle = MonotonicClock.now()
            var pasted = 0
            try run(commands.paste, stage) { bytes in
                if pasted == 0, bytes.first != chunk[0] { throw BenchError("pasted other bytes than it copied") }
                pasted += bytes.count
            }
            guard pasted == bytes else { throw BenchError("pasted \(pasted) instead of \(bytes) bytes") }
            copies.append(Double(middle - start) / 1e6)
            pastes.append(Double(MonotonicClock.now() - middle) / 1e6)
        }
        return [zip(copies, pastes).map { $0 + $1 }.median, copies.median, pastes.median]
    }

    private static func run(
        _ command: String,
        input: CInt? = nil,
        _ stage: Stage,
        _ handle: ([UInt8]) throws -> Void
    ) throws {
        let words = command.split(separator: " ").map(String.init)
        let process = try BenchProcess(words, on: stage, input: input, isQuiet: true)
        while case let bytes = try process.read(), !bytes.isEmpty { try handle(bytes) }
        try process.finish()
    }
}
