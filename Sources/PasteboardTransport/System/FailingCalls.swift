#if DEBUG
import Glibc

/// The calls that a test makes fail in a program that it starts. Only debug builds have them.
///
/// The environment variable `PASTEBOARD_TEST_FAILING_CALLS` contains entries `CALL:FIRST:COUNT:ERRNO`, separated by
/// commas: the FIRST-th call with this name fails with this error number, and so do the following ones, COUNT in all.
/// `*` stands for every call. A failing call is not made. It is reported on standard error, so that the test knows
/// whether the program has come this far.
enum FailingCalls {
    private struct Entry {
        let name: String
        let numbers: Range<Int>
        let code: CInt
        /// The number of calls with this name so far.
        var count = 0

        init?(_ text: Substring) {
            let parts = text.split(separator: ":")
            guard parts.count == 4, let first = Int(parts[1]), let count = Int(parts[2]), let code = CInt(parts[3]),
                first > 0, count >= 0
            else { return nil }
            name = String(parts[0])
            numbers = first..<first + count
            self.code = code
        }

        /// Counts a call, and returns whether it has to fail.
        mutating func fails(_ call: StaticString) -> Bool {
            guard name == "*" || name == call.description else { return false }
            count += 1
            return numbers.contains(count)
        }
    }

    private static let isUsed = System.environment("PASTEBOARD_TEST_FAILING_CALLS") != nil
    private static let entries = Lock(
        (System.environment("PASTEBOARD_TEST_FAILING_CALLS") ?? "").split(separator: ",").compactMap(Entry.init)
    )

    /// Whether this call has to fail. If so, `errno` is set.
    static func fails(_ call: StaticString) -> Bool {
        guard isUsed else { return false }
        let failure = entries.withLock { entries in
            var failure: (number: Int, code: CInt)?
            for index in entries.indices where entries[index].fails(call) {
                failure = (entries[index].count, entries[index].code)
            }
            return failure
        }
        guard let (number, code) = failure else { return false }
        let report = Array("made to fail: \(call) \(number)\n".utf8)
        _ = Glibc.write(2, report, report.count)
        errno = code
        return true
    }
}
#endif
