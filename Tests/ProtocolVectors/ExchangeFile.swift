/// The exchanges of a file, in words. `Conformance.md` describes the format.
package struct ExchangeFile: Sendable {
    /// A line, with those that continue it.
    private typealias Line = (text: String, number: Int)

    package private(set) var vectors: [Vector] = []
    private let name: String
    /// The lines of each scene.
    private var scenes: [String: [Line]]

    /// Parses the text of a file.
    ///
    /// - Parameters:
    ///   - name: the name of the file, for messages.
    ///   - others: a file whose scenes may be played.
    package init(_ text: String, name: String = "", scenes others: ExchangeFile? = nil) throws(VectorError) {
        self.name = name
        scenes = others?.scenes ?? [:]
        var lines: [Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.first == " ", let last = lines.indices.last {
                lines[last].text += " " + line.drop { $0 == " " }
            } else {
                lines.append((String(line), index + 1))
            }
        }
        for section in lines.split(whereSeparator: \.text.isEmpty) { try add(section) }
    }

    private mutating func add(_ section: ArraySlice<Line>) throws(VectorError) {
        var lines = section
        if let first = lines.first, first.text.hasPrefix("scene ") {
            scenes[String(first.text.dropFirst(6))] = Array(lines.dropFirst())
            return
        }
        var title: (rules: [String], text: String)?
        while let line = lines.first, line.text.hasPrefix("#") {
            title = Self.title(line.text) ?? title
            lines.removeFirst()
        }
        guard let title else {
            if let line = lines.first {
                throw VectorError(file: name, line: line.number, reason: "the exchange has no rules")
            }
            return
        }
        let number = section.first?.number ?? 0
        let vector = Vector(rules: title.rules, title: title.text, file: name, line: number)
        let rows = lines.filter { $0.text.hasPrefix("with ") }
        guard !rows.isEmpty else { return try add(lines, as: vector) }
        for row in rows {
            let values = row.text.dropFirst(5).split(separator: "|").map(\.trimmed)
            let replaced = lines.filter { !$0.text.hasPrefix("with ") }.map { line in
                values.indices.reversed().reduce(into: line) { line, index in
                    line.text = line.text.replacing("$\(index + 1)", with: values[index] == "-" ? "" : values[index])
                }
            }
            try add(
                replaced[...],
                as: vector.variant(titled: "\(title.text): \(row.text.dropFirst(5))", line: row.number)
            )
        }
    }

    /// Adds the exchange of the lines, or one for each line that begins with a bar.
    private mutating func add(_ lines: ArraySlice<Line>, as shared: Vector) throws(VectorError) {
        var vector = shared
        var builder = ExchangeBuilder()
        var variants: [Line] = []
        for line in lines {
            guard line.text.hasPrefix("| ") else {
                try add(line, to: &builder, &vector)
                continue
            }
            variants.append((String(line.text.dropFirst(2)), line.number))
        }
        guard !variants.isEmpty else { return append(vector, builder) }
        for line in variants {
            var builder = builder
            let known = builder.frames.count
            try add(line, to: &builder, &vector)
            let kind = builder.frames.dropFirst(known).first { $0.line == line.number }?.kind ?? ""
            append(vector.variant(titled: "\(vector.title): \(kind)", line: line.number), builder)
        }
    }

    /// The rules and the text of a line such as `# A first frame is no hello  (C1)`.
    private static func title(_ line: String) -> (rules: [String], text: String)? {
        guard let match = line.wholeMatch(of: /#+ (.*)  \(([A-Z][0-9]+(?: [A-Z][0-9]+)*)\)/) else { return nil }
        return (match.output.2.split(separator: " ").map(String.init), String(match.output.1))
    }

    private mutating func append(_ vector: Vector, _ builder: ExchangeBuilder) {
        var vector = vector
        vector.frames = builder.frames
        if vector.outcome == .open { vector.outcome = builder.outcome }
        vector.isInternal = vector.isInternal || builder.isInternal
        vectors.append(vector)
    }

    private func add(
        _ line: Line,
        to builder: inout ExchangeBuilder,
        _ vector: inout Vector
    ) throws(VectorError) {
        let words = line.text.split(separator: " ", maxSplits: 1).map(String.init)
        // A row may leave nothing of a line.
        guard let first = words.first else { return }
        if first == "play" {
            guard let scene = scenes[words.last ?? ""] else {
                throw VectorError(file: name, line: line.number, reason: "there is no scene '\(words.last ?? "")'")
            }
            for line in scene { try add(line, to: &builder, &vector) }
            return
        }
        do throws(ExchangeSyntax) {
            switch first {
            case "run":
                let verb = words[words.count - 1].split(separator: " ", maxSplits: 1).map(String.init)
                builder.greets = false
                vector.verb = verb[0]
                if verb.count > 1 { vector.input = try Self.bytes(verb[1]) }
            case "done": vector.outcome = .done(words.count > 1 ? try Self.bytes(words[1]) : [])
            case "failed": vector.outcome = .failed
            case "internal", "limit", "process": try Self.set(line.text, of: &vector)
            default: try builder.add(line.text, line: line.number)
            }
        } catch {
            throw VectorError(file: name, line: line.number, reason: error.reason)
        }
    }

    /// Reads a line such as `limit kept-pool 1000` or `process 7 client other`.
    private static func set(_ line: String, of vector: inout Vector) throws(ExchangeSyntax) {
        var words = try WordReader(line)
        vector.isInternal = true
        switch words.word() {
        case "limit":
            guard let name = words.word(), let value = words.word() else {
                throw ExchangeSyntax("the name or the value of a limit is missing")
            }
            vector.limits[name] = value
        case "process":
            let process = UInt32(truncatingIfNeeded: try words.number())
            while let peer = words.word() { vector.processes[peer] = process }
        default: break
        }
        guard words.isAtEnd else { throw ExchangeSyntax("the line has too many words") }
    }

    private static func bytes(_ text: String) throws(ExchangeSyntax) -> [UInt8] {
        var words = try WordReader(text)
        guard let bytes = words.bytes(), words.isAtEnd else { throw ExchangeSyntax("'\(text)' is no text") }
        return bytes
    }
}

extension Substring {
    /// The text without the blanks around it.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
