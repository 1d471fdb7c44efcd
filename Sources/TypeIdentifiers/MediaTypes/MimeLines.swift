/// A file of the MIME database: lines of fields, which are searched in the file's bytes. That takes less time than
/// building dictionaries of thousands of lines, of which a program needs only a few.
struct MimeLines: Sendable {
    let bytes: [UInt8]
    let separator: UInt8

    /// The fields of every line in which the field `column` is `key`, ignoring ASCII case. Comments are skipped.
    func lines(with key: String, at column: Int) -> [[String]] {
        let (bytes, key) = (bytes.span, key.utf8.span)
        var found: [[String]] = []
        var start = 0
        while start < bytes.count {
            // The number of the current field, the range of the requested field, and the end of the line.
            var (field, fieldStart, fieldEnd, end) = (0, start, start, start)
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
                if bytes[end] == separator {
                    if field == column { fieldEnd = end }
                    field += 1
                    if field == column { fieldStart = end + 1 }
                }
                end += 1
            }
            if field == column { fieldEnd = end }
            if field >= column, fieldEnd - fieldStart == key.count, bytes[start] != UInt8(ascii: "#"),
                bytes.extracting(fieldStart..<fieldEnd).equalsFolded(key)
            {
                found.append(fields(in: start..<end))
            }
            start = end + 1
        }
        return found
    }

    private func fields(in line: Range<Int>) -> [String] {
        bytes[line].split(separator: separator, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
