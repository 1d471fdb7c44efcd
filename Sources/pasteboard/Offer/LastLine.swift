/// The last line of what a program said: usually why it failed.
struct LastLine {
    private static let limit = 1 << 10
    private var line: [UInt8] = []
    private var hasEnded = true

    mutating func append(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                self.hasEnded = true
            } else {
                if self.hasEnded { self.line.removeAll(keepingCapacity: true) }
                self.hasEnded = false
                if self.line.count < Self.limit { self.line.append(byte) }
            }
        }
    }

    var text: String { String(decoding: self.line, as: UTF8.self) }
}
