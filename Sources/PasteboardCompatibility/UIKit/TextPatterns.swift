/// The search for patterns in a text that any program may have written.
///
/// Every repetition in an expression has a bound, because an unbounded one could take a time that is quadratic in the
/// length of the text.
struct TextPatterns {
    /// The number of bytes that are searched.
    static let maximumByteCount = 64 << 10
    /// The largest number of values of one pattern.
    private static let maximumValues = 256

    struct Match {
        let pattern: UIPasteboard.DetectionPattern
        let range: Range<Substring.Index>
    }

    private let text: Substring
    /// The text without white space around it.
    private let line: Substring

    init(_ text: String) {
        let bytes = text.utf8
        var end =
            bytes.index(text.startIndex, offsetBy: Self.maximumByteCount, limitedBy: text.endIndex) ?? text.endIndex
        while end < text.endIndex, end.samePosition(in: text.unicodeScalars) == nil { bytes.formIndex(before: &end) }
        self.text = text[..<end]
        let start = text[..<end].drop(while: \.isWhitespace)
        line = start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start[start.startIndex..<start.startIndex]
    }

    /// The matches of a pattern, in the order of the text.
    func matches(_ pattern: UIPasteboard.DetectionPattern) -> [Match] {
        let ranges: [Range<Substring.Index>]
        switch pattern {
        case .number: ranges = isNumber ? [line.startIndex..<line.endIndex] : []
        case .probableWebURL: ranges = isWebURL ? [line.startIndex..<line.endIndex] : []
        case .probableWebSearch: ranges = isWebSearch ? [line.startIndex..<line.endIndex] : []
        case .link: ranges = links
        case .emailAddress: ranges = emailAddresses
        case .phoneNumber: ranges = phoneNumbers
        }
        return ranges.prefix(Self.maximumValues).map { Match(pattern: pattern, range: $0) }
    }

    // MARK: The whole text

    private var isNumber: Bool {
        let expression =
            #/
            [+-]?
            (?: (?: [0-9]{1,3} (?: , [0-9]{3} ){1,9} | [0-9]{1,30} ) (?: \. [0-9]{0,30} )? | \. [0-9]{1,30} )
            (?: [eE] [+-]? [0-9]{1,3} )?
            /#
        return line.count <= 100 && fits(expression)
    }

    private var isWebURL: Bool {
        let expression =
            #/
            (?i)
            (?: https?:\/\/ (?: [\w\-]{1,63} \. ){0,9} [\w\-]{1,63}
                | www\. (?: [\w\-]{1,63} \. ){1,9} [\w\-]{2,63}
                | (?: [\w\-]{1,63} \. ){1,9} (?: com | org | net | edu | gov | io | dev | app | info | eu | de | uk | fr | jp )
            )
            (?: : [0-9]{1,5} )?
            (?: [\/?\#] \S{0,2000} )?
            /#
        return line.count <= 2_000 && fits(expression)
    }

    private var isWebSearch: Bool {
        guard line.count <= 100, line.contains(where: \.isLetter), !line.contains(where: \.isNewline) else {
            return false
        }
        let address = /[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,9}[A-Za-z]{2,24}/
        return !isNumber && !isWebURL && !fits(address) && !fits(/(?i)(?:\S{1,100}:\/\/|mailto:)\S{0,100}/)
    }

    private func fits(_ expression: some RegexComponent) -> Bool {
        line.wholeMatch(of: expression.regex.matchingSemantics(.unicodeScalar)) != nil
    }

    // MARK: Parts of the text

    private var links: [Range<Substring.Index>] {
        ranges(/(?i)\b(?:(?:https?|ftp):\/\/|mailto:[^\s<>"@]{1,64}@)[^\s<>"]{0,1999}[^\s<>".,;:!?)\]'}]/)
    }

    private var emailAddresses: [Range<Substring.Index>] {
        // To Unicode, a colon does not separate words.
        ranges(/\b[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,9}[A-Za-z]{2,24}\b/.wordBoundaryKind(.simple))
    }

    private var phoneNumbers: [Range<Substring.Index>] {
        ranges(/(?:\+|\(|\b)[0-9][0-9 ()\/.-]{5,20}[0-9]\b/).filter { range in
            let number = text[range]
            let digits = number.count(where: \.isNumber)
            let parts = number.split { !$0.isNumber }
            let isAddress = number.prefixMatch(of: /(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9.])/) != nil
            // Digits without a sign are another kind of number, and three parts with periods or dashes a date or
            // version.
            return (7...15).contains(digits) && !isAddress && (number.hasPrefix("+") || parts.count > 1)
                && !(parts.count == 3 && parts.allSatisfy { $0.count <= 4 } && parts.contains { $0.count <= 2 })
        }
    }

    private func ranges(_ expression: some RegexComponent) -> [Range<Substring.Index>] {
        text.ranges(of: expression.regex.matchingSemantics(.unicodeScalar))
    }
}
