import PasteboardTransport

/// What the test says, a line each, and what of it has not been done yet.
struct Orders {
    private var unfinished: [UInt8] = []
    private var lines: [String] = []
    private var isOver = false

    /// What to wait for to hear more.
    var interests: [PollInterest] { self.isOver ? [] : [PollInterest(0, .readable)] }

    /// The order that is to be done now, and the number in it.
    var current: (name: Substring, count: Int)? {
        guard let parts = self.lines.first?.split(separator: " "), let name = parts.first else { return nil }
        return (name, parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    }

    mutating func done() {
        self.lines.removeFirst()
    }

    /// Reads what has come.
    mutating func read() throws {
        let bytes = try System.read(0, upTo: 4096)
        self.isOver = bytes.isEmpty
        self.unfinished += bytes
        while let end = self.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            self.lines.append(String(decoding: self.unfinished[..<end], as: UTF8.self))
            self.unfinished.removeSubrange(...end)
        }
    }

    /// Only orders can come any more.
    mutating func waitForEnd() throws {
        while !self.isOver, self.current?.name != "exit" { try self.read() }
    }
}
