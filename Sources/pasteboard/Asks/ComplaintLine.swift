/// The line of a program's standard error that contains the reason of its failure.
struct ComplaintLine {
    enum Choice {
        /// For `tar`, whose later lines are consequences of the first.
        case first
        /// For most programs, which end with their reason.
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
                self.hasEnded = true
                continue
            }
            if self.hasEnded {
                self.hasEnded = false
                self.count += 1
                if self.choice == .last { self.line.removeAll(keepingCapacity: true) }
            }
            if self.choice == .last || self.count == 1, self.line.count < Self.limit { self.line.append(byte) }
        }
    }

    var text: String { String(decoding: self.line, as: UTF8.self) }
}
