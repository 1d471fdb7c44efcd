/// The vectors of a file. `Conformance.md` describes the format.
package struct VectorFile: Sendable {
    package private(set) var vectors: [Vector] = []
    private var scenes: [Substring: [VectorFrame]] = [:]
    /// The name that was opened with `<`, and the offset of its value. The value may continue on the next line.
    private var open: (name: String, start: Int)?

    /// Parses the text of a file.
    ///
    /// - Parameter name: the name of the file, for messages.
    package init(_ text: String, name: String = "") throws(VectorError) {
        var scene: Substring?
        var isOutcome = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != ";" }.split(separator: " ")
            guard let first = words.first else { continue }
            let rest = words.dropFirst()
            switch first {
            case "vector":
                let rules = rest.prefix { $0.isRule }
                let title = rest.dropFirst(rules.count).joined(separator: " ")
                vectors.append(Vector(rules: rules.map(String.init), title: title, file: name, line: index + 1))
                (scene, isOutcome) = (nil, false)
            case "scene":
                scene = words.last
                scenes[words.last ?? "", default: []] = []
                isOutcome = false
            case "play":
                guard let frames = scenes[rest.first ?? ""] else { throw VectorError(line: index + 1) }
                append(frames, to: scene)
            case "run" where !vectors.isEmpty:
                vectors[vectors.count - 1].verb = rest.first.map(String.init)
                vectors[vectors.count - 1].input = try Self.bytes(rest.dropFirst(), line: index + 1)
            case "outcome" where !vectors.isEmpty:
                guard let outcome = Self.outcome(rest) else { throw VectorError(line: index + 1) }
                vectors[vectors.count - 1].outcome = outcome
                isOutcome = true
            case _ where words.count >= 4 && words[1] == "to" && words[2].last == ":":
                let (receiver, kind) = (String(words[2].dropLast()), String(words[3]))
                var frame = VectorFrame(sender: String(first), receiver: receiver, kind: kind, line: index + 1)
                if let word = words.last, word.first == "+" {
                    frame.passed = PassedDescriptor(rawValue: String(word.dropFirst()))
                    guard frame.passed != nil else { throw VectorError(line: index + 1) }
                }
                append([frame], to: scene)
            case _ where isOutcome:
                try addToOutcome(words[...], line: index + 1)
            default:
                try addBytes(words[...], to: scene, line: index + 1)
            }
        }
    }

    private mutating func append(_ frames: [VectorFrame], to scene: Substring?) {
        if let scene {
            scenes[scene, default: []] += frames
        } else if !vectors.isEmpty {
            vectors[vectors.count - 1].frames += frames
        }
    }

    private static func outcome(_ words: ArraySlice<Substring>) -> Vector.Outcome? {
        switch (words.first, words.dropFirst().first) {
        case ("means", nil): .means([])
        case ("done", nil): .done([])
        case ("ignored", nil): .ignored
        case ("failed", nil): .failed
        case ("malformed", let code?): .malformed(String(code))
        case ("violation", let code?): .violation(String(code))
        default: nil
        }
    }

    private mutating func addToOutcome(_ words: ArraySlice<Substring>, line: Int) throws(VectorError) {
        let bytes = try Self.bytes(words, line: line)
        switch vectors[vectors.count - 1].outcome {
        case .means(let known): vectors[vectors.count - 1].outcome = .means(known + bytes)
        case .done(let known): vectors[vectors.count - 1].outcome = .done(known + bytes)
        default: throw VectorError(line: line)
        }
    }

    /// Adds a line such as `18 <handle 80 01> !4` to the last frame.
    private mutating func addBytes(
        _ words: ArraySlice<Substring>,
        to scene: Substring?,
        line: Int
    ) throws(VectorError) {
        var frames = scene.flatMap { scenes[$0] } ?? vectors.last?.frames ?? []
        guard var frame = frames.popLast() else { throw VectorError(line: line) }
        for word in words {
            if word.first == "<" {
                open = (String(word.dropFirst()), frame.bytes.count)
            } else if word.first == "!" {
                frame.absentFields += UInt32(word.dropFirst()).map { [$0] } ?? []
            } else {
                frame.bytes += try Self.bytes([word.last == ">" ? word.dropLast() : word], line: line)
                guard word.last == ">", let (name, start) = open else { continue }
                frame.values.append(VectorFrame.NamedValue(name: name, range: start..<frame.bytes.count))
                open = nil
            }
        }
        frames.append(frame)
        if let scene { scenes[scene] = frames } else { vectors[vectors.count - 1].frames = frames }
    }

    /// The bytes of words such as `4b`, and `00*512` for 512 of them.
    private static func bytes(_ words: ArraySlice<Substring>, line: Int) throws(VectorError) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words {
            let parts = word.split(separator: "*")
            let count = parts.count == 2 ? Int(parts[1]) : 1
            guard parts.count <= 2, parts.first?.utf8.count == 2, let byte = UInt8(parts[0], radix: 16), let count,
                count >= 0, count <= 1 << 20
            else { throw VectorError(line: line) }
            bytes += [UInt8](repeating: byte, count: count)
        }
        return bytes
    }
}

/// A line that is not in the format of the vectors.
package struct VectorError: Error {
    /// The line's number, from 1.
    package let line: Int
}

extension Substring {
    /// Whether the word is the number of a rule, such as "F3".
    fileprivate var isRule: Bool {
        guard let first, first.isUppercase, let number = Int(dropFirst()) else { return false }
        return number > 0
    }
}
