/// The line of a program's standard error that contains the reason for its failure.
struct ComplaintLine {
    enum Choice {
        /// The first line: later lines of `tar` are consequences of it.
        case first
        /// The last line: most programs end with their reason.
        case last
    }

    private static let limit = 1 << 10
    /// The number of bytes at the beginning or at the end that are kept.
    private static let kept = 16 << 10
    private let choice: Choice
    private var bytes: [UInt8] = []

    init(_ choice: Choice) {
        self.choice = choice
    }

    mutating func append(_ more: [UInt8]) {
        bytes += more
        bytes = Array(choice == .first ? bytes.prefix(Self.kept) : bytes.suffix(Self.kept))
    }

    var text: String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return String(decoding: (choice == .first ? lines.first : lines.last)?.prefix(Self.limit) ?? [], as: UTF8.self)
    }
}
