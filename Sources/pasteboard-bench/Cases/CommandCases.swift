import PasteboardTransport

extension BenchCase {
    /// `copy` and `paste` as whole processes, from a file and to a pipe, while their server runs.
    static func commands(_ stage: Stage) -> [BenchCase] {
        let sizes = [("4 KiB", 4 << 10, stage.isQuick ? 1 : 11), ("512 MiB", stage.isQuick ? 4 << 20 : 512 << 20, 1)]
        return sizes.flatMap { size, bytes, count in
            (["pasteboard"] + Clipboard.peers).map { name in
                BenchCase(
                    name: "copy and paste \(size)",
                    subject: name,
                    figures: ["both": "ms", "copy": "ms", "paste": "ms"],
                    measure: { try measure(name, bytes, count, stage) },
                    floor: { try measure("floor", bytes, count, stage) }
                )
            }
        }
    }

    private static func measure(_ name: String, _ bytes: Int, _ count: Int, _ stage: Stage) throws -> [Double] {
        // Text, because some clipboards accept nothing else. It differs between the cases, so that a failed copy is
        // noticed.
        let chunk = [UInt8](repeating: count == 1 ? UInt8(ascii: "x") : UInt8(ascii: "y"), count: min(bytes, 1 << 20))
        let path = "\(stage.directory)/\(bytes) bytes"
        if try System.status(at: path) == nil { try stage.write(chunk, to: path, times: bytes / chunk.count) }
        let clipboard = try stage.clipboard(name)
        var copies: [Double] = []
        var pastes: [Double] = []
        for _ in 0..<count {
            copies.append(try milliseconds { try clipboard.copy(path) })
            pastes.append(try milliseconds { try clipboard.paste(count: bytes, start: Array(chunk.prefix(64))) })
        }
        return [zip(copies, pastes).map { $0 + $1 }.median, copies.median, pastes.median]
    }

    private static func milliseconds(of body: () throws -> Void) rethrows -> Double {
        let start = MonotonicClock.now()
        try body()
        return Double(MonotonicClock.now() - start) / 1e6
    }
}
