import PasteboardTransport

/// The orders of the test, one in each line, that were not carried out yet.
struct Orders {
    private var unfinished: [UInt8] = []
    private var lines: [String] = []
    private var isOver = false

    /// The descriptor to poll for further orders.
    var interests: [PollInterest] { isOver ? [] : [PollInterest(0, .readable)] }

    /// The next order, and the number in it.
    var current: (name: Substring, count: Int)? {
        guard let parts = lines.first?.split(separator: " "), let name = parts.first else { return nil }
        return (name, parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    }

    mutating func done() {
        lines.removeFirst()
    }

    /// Reads the available input.
    mutating func read() throws {
        let bytes = try System.read(0, upTo: 4096)
        isOver = bytes.isEmpty
        unfinished += bytes
        while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: unfinished[..<end], as: UTF8.self))
            unfinished.removeSubrange(...end)
        }
    }

    /// Waits for the end when only orders are left to process.
    mutating func waitForEnd() throws {
        while !isOver, current?.name != "exit" { try read() }
    }
}
