import PasteboardWire

/// The lines that a transcript expects. `<number>` stands for digits, `<any>` for any text, `<version>` for the
/// version of this package, a line `...` for any number of lines, and `(no-eol)` for the absence of the last newline.
enum LinePattern {
    typealias Text = ArraySlice<UInt8>

    private static let marks: [(name: [UInt8], isNumber: Bool)] = [
        (Array("<number>".utf8), true), (Array("<any>".utf8), false),
    ]

    /// The lines of a text. The last one is marked if it does not end with a newline.
    static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
        let rest = lines.removeLast()
        if !rest.isEmpty { lines.append(rest + Array(" (no-eol)".utf8)) }
        return lines
    }

    static func matches(_ lines: ArraySlice<[UInt8]>, _ patterns: ArraySlice<String>) -> Bool {
        guard let pattern = patterns.first else { return lines.isEmpty }
        if pattern == "..." {
            return (0...lines.count).contains { matches(lines.dropFirst($0), patterns.dropFirst()) }
        }
        guard let line = lines.first, matches(line, pattern) else { return false }
        return matches(lines.dropFirst(), patterns.dropFirst())
    }

    static func matches(_ line: [UInt8], _ pattern: String) -> Bool {
        matches(line[...], Array(pattern.replacing("<version>", with: ProgramVersion.current).utf8)[...])
    }

    private static func matches(_ text: Text, _ pattern: Text) -> Bool {
        let found = marks.compactMap { mark in
            pattern.firstRange(of: mark.name).map { (range: $0, isNumber: mark.isNumber) }
        }
        guard let next = found.min(by: { $0.range.lowerBound < $1.range.lowerBound }) else { return text == pattern }
        let literal = pattern[..<next.range.lowerBound]
        guard text.starts(with: literal) else { return false }
        let rest = text.dropFirst(literal.count)
        let tail = pattern[next.range.upperBound...]
        if next.isNumber {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            return !digits.isEmpty && matches(rest.dropFirst(digits.count), tail)
        }
        return (0...rest.count).contains { matches(rest.dropFirst($0), tail) }
    }
}
