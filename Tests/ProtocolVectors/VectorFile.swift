/// Single frames with their outcome, as bytes. `Conformance.md` describes the format.
package struct VectorFile: Sendable {
    package private(set) var vectors: [Vector] = []

    /// Parses the text of a file.
    ///
    /// - Parameter name: the name of the file, for messages.
    package init(_ text: String, name: String = "") throws(VectorError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != ";" }.split(separator: " ")
            do throws(ExchangeSyntax) {
                if words.first == "vector" {
                    let rules = words.dropFirst().prefix { $0.wholeMatch(of: /[A-Z][0-9]+/) != nil }
                    let title = words.dropFirst(1 + rules.count).joined(separator: " ")
                    vectors.append(Vector(rules: rules.map(String.init), title: title, file: name, line: index + 1))
                } else if !words.isEmpty {
                    guard let vector = vectors.indices.last else { throw ExchangeSyntax("a vector is missing") }
                    try Self.add(words, to: &vectors[vector], line: index + 1)
                }
            } catch {
                throw VectorError(file: name, line: index + 1, reason: error.reason)
            }
        }
    }

    private static func add(_ words: [Substring], to vector: inout Vector, line: Int) throws(ExchangeSyntax) {
        if words[0] == "outcome" {
            guard let outcome = outcome(words.dropFirst()) else { throw ExchangeSyntax("unknown outcome") }
            vector.outcome = outcome
        } else if words.count == 4, words[1] == "to", words[2].last == ":" {
            let (sender, receiver) = (String(words[0]), String(words[2].dropLast()))
            vector.frames.append(VectorFrame(sender: sender, receiver: receiver, kind: String(words[3]), line: line))
        } else {
            var bytes: [UInt8] = []
            for word in words { bytes += try self.bytes(of: word) }
            switch (vector.outcome, vector.frames.indices.last) {
            case (.means(let known), _): vector.outcome = .means(known + bytes)
            case (.open, let frame?): vector.frames[frame].bytes += bytes
            default: throw ExchangeSyntax("the bytes belong to no frame")
            }
        }
    }

    private static func outcome(_ words: ArraySlice<Substring>) -> Vector.Outcome? {
        switch (words.first, words.dropFirst().first) {
        case ("means", nil): .means([])
        case ("ignored", nil): .ignored
        case ("malformed", let code?): .malformed(String(code))
        case ("violation", let code?): .violation(String(code))
        default: nil
        }
    }

    /// The bytes of a word such as `4b`, or `00*512` for 512 of them.
    static func bytes(of word: Substring) throws(ExchangeSyntax) -> [UInt8] {
        let parts = word.split(separator: "*")
        let count = parts.count == 2 ? Int(parts[1]) : 1
        guard parts.count <= 2, parts.first?.utf8.count == 2, let byte = UInt8(parts[0], radix: 16), let count,
            count >= 0, count <= 1 << 20
        else { throw ExchangeSyntax("'\(word)' is no byte") }
        return [UInt8](repeating: byte, count: count)
    }
}

/// A line that is not in the format of the file.
package struct VectorError: Error {
    /// The name of the file.
    package let file: String
    /// The line's number, from 1.
    package let line: Int
    package let reason: String
}
