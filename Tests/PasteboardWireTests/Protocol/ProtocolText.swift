import PasteboardWire

/// The contents of `Protocol.md`: its tables and the frames that it shows byte by byte.
struct ProtocolText {
    struct ShownFrame {
        /// The label, such as "S1".
        let name: String
        let isFromBroker: Bool
        let kind: String
        var bytes: [UInt8] = []
    }

    private let sections: [String: [Substring]]
    private(set) var frames: [ShownFrame] = []

    init() throws {
        let text = try Repository.text(Repository.protocolText)
        var sections: [String: [Substring]] = [:]
        var title = ""
        var isInBlock = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
            sections[title, default: []].append(line)
            if line.hasPrefix("```") {
                isInBlock.toggle()
            } else if isInBlock {
                guard !frames.isEmpty else { continue }
                frames[frames.count - 1].bytes += PasteboardWireTests.bytes(hex: line.prefix { $0 != ";" })
            } else if let frame = ShownFrame(line) {
                frames.append(frame)
            }
        }
        self.sections = sections
    }

    /// The cells of all table rows in a section that begin with a number.
    func rows(of section: String) -> [(number: UInt32, name: String, rest: [String])] {
        self.cells(of: section).compactMap { cells in
            guard cells.count > 1, let number = UInt32(cells[0]) else { return nil }
            return (number, cells[1].filter { $0 != "`" }, Array(cells.dropFirst(2)))
        }
    }

    /// The values of the rows in a section that end with a number.
    func values(of section: String) -> [String: Int] {
        var values: [String: Int] = [:]
        for cells in self.cells(of: section) {
            guard cells.count == 2, let value = Int(cells[1]) else { continue }
            values[cells[0]] = value
        }
        return values
    }

    private func cells(of section: String) -> [[String]] {
        (sections[section] ?? []).filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmed }
        }
    }
}

extension ProtocolText.ShownFrame {
    /// Parses a line such as `**S1.** Client to broker: `hello``.
    init?(_ line: Substring) {
        guard line.hasPrefix("**") else { return nil }
        let name = line.dropFirst(2).prefix { $0 != "." }
        guard let last = name.last, last.isNumber, let kind = line.split(separator: "`").last else { return nil }
        self.init(name: String(name), isFromBroker: line.contains("Broker to client"), kind: String(kind))
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
