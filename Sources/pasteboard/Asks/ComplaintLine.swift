/// The line of a program's standard error that contains the reason for its failure.
struct ComplaintLine {
    enum Choice {
        /// The first line: later lines of `tar` are consequences of it.
        case first
        /// The last line: most programs end with their reason.
        case last
    }

    private static let limit = 1 << 10
    private let choice: Choice
    private var line: [UInt8] = []
    private var hasEnded = true
    private var count = 0

    init(_ choice: Choice) {
        self.choice = choice
    }

    mutating func append(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                hasEnded = true
                continue
            }
            if hasEnded {
                hasEnded = false
                count += 1
                if choice == .last { line.removeAll(keepingCapacity: true) }
            }
            if choice == .last || count == 1, line.count < Self.limit { line.append(byte) }
        }
    }

    var text: String { String(decoding: line, as: UTF8.self) }
}
