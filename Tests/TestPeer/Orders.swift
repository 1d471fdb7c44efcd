import PasteboardTransport

/// The orders of the test, one in each line, that were not carried out yet.
struct Orders {
    private var unfinished: [UInt8] = []
    private var lines: [String] = []
    private var isOver = false

    /// The descriptor to poll for further orders.
    var interests: [PollInterest] { self.isOver ? [] : [PollInterest(0, .readable)] }

    /// The next order, and the number in it.
    var current: (name: Substring, count: Int)? {
        guard let parts = self.lines.first?.split(separator: " "), let name = parts.first else { return nil }
        return (name, parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    }

    mutating func done() {
        self.lines.removeFirst()
    }

    /// Reads the available input.
    mutating func read() throws {
        let bytes = try System.read(0, upTo: 4096)
        self.isOver = bytes.isEmpty
        self.unfinished += bytes
        while let end = self.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            self.lines.append(String(decoding: self.unfinished[..<end], as: UTF8.self))
            self.unfinished.removeSubrange(...end)
        }
    }

    /// Waits for the end when only orders are left to process.
    mutating func waitForEnd() throws {
        while !self.isOver, self.current?.name != "exit" { try self.read() }
    }
}
