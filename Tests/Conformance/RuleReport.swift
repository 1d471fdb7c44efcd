import FoundationEssentials
import PasteboardWire
import ProtocolVectors

/// The results of all numbered rules.
struct RuleReport {
    private struct Result {
        var passed = 0
        var failed = 0
        var note: String?
    }

    /// A difference, which is reported once, whatever the number of rules that it is about.
    private struct Failed {
        let vector: Vector
        let rules: [String]
        /// The step and the difference.
        let text: String
        let transcript: [String]
        /// The number of later tests with a difference of the same rule that says nothing new.
        var repetitions = 0

        var line: String {
            let title = "\(vector.file):\(vector.line) \(rules.joined(separator: " ")): \(vector.title): \(text)"
            return repetitions == 0 ? title : title + " (and in \(RuleReport.counted(repetitions, "other test")))"
        }
    }

    /// The selected rules.
    let rules: [String]
    private var results: [String: Result] = [:]
    private var failures: [Failed] = []

    init(_ rules: [String] = ProtocolRule.all) {
        self.rules = rules
    }

    var hasFailures: Bool { !failures.isEmpty }

    mutating func pass(_ rules: some Sequence<String>) {
        for rule in rules { results[rule, default: Result()].passed += 1 }
    }

    /// Records a difference between a test and its vector.
    ///
    /// - Parameter transcript: the frames of the test until then.
    mutating func fail(_ vector: Vector, _ text: String, transcript: [String] = []) {
        for rule in vector.rules { results[rule, default: Result()].failed += 1 }
        failures.append(Failed(vector: vector, rules: vector.rules, text: text, transcript: transcript))
    }

    /// Records a rule that a single frame breaks. Later frames that do that are only counted.
    mutating func fail(_ vector: Vector, _ rule: String, _ text: String) {
        guard rules.contains(rule) else { return }
        results[rule, default: Result()].failed += 1
        if let index = failures.firstIndex(where: { $0.rules == [rule] && $0.transcript.isEmpty }) {
            failures[index].repetitions += 1
        } else {
            failures.append(Failed(vector: vector, rules: [rule], text: text, transcript: []))
        }
    }

    /// Records why a test of the rules was left out.
    mutating func omit(_ rules: [String], _ reason: String) {
        for rule in rules { results[rule, default: Result()].note = reason }
    }

    /// A line for each rule, then the differences with their exchanges, and a summary.
    var text: String {
        var counts = (ok: 0, failed: 0, untested: 0)
        var lines: [String] = []
        for rule in rules {
            let result = results[rule] ?? Result()
            let total = result.passed + result.failed
            let rest = [
                result.note.map { "others not tested: \($0)" }, ProtocolRule.untested[rule].map { "not tested: \($0)" },
            ]
            .compactMap { $0.map { "; " + $0 } }.joined()
            if result.failed > 0 {
                counts.failed += 1
                lines.append("FAILED \(rule) (\(result.failed) of \(Self.counted(total, "test")))")
            } else if result.passed > 0 {
                counts.ok += 1
                lines.append("ok \(rule) (\(Self.counted(total, "test"))\(rest))")
            } else {
                counts.untested += 1
                let reason = result.note ?? ProtocolRule.untested[rule]
                lines.append("- \(rule) not tested\(reason.map { ": \($0)" } ?? " from this side")")
            }
        }
        for failure in failures {
            lines.append("")
            lines.append(failure.line)
            lines += failure.transcript.map { "    \($0)" }
        }
        if !failures.isEmpty { lines.append("") }
        lines.append("\(counts.ok) rules ok, \(counts.failed) failed, \(counts.untested) not tested")
        return lines.map { $0.visible + "\n" }.joined()
    }

    /// A line of JSON.
    var json: String {
        get throws {
            let rows = rules.map { rule in
                let result = results[rule] ?? Result()
                return Row(
                    rule: rule,
                    result: result.failed > 0 ? "failed" : result.passed > 0 ? "ok" : "untested",
                    passed: result.passed,
                    failures: failures.filter { $0.rules.contains(rule) }.map(\.line),
                    note: result.note ?? ProtocolRule.untested[rule]
                )
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(rows), as: UTF8.self) + "\n"
        }
    }

    private struct Row: Encodable {
        let rule: String
        let result: String
        let passed: Int
        let failures: [String]
        let note: String?
    }

    /// `1 test`, `3 tests`
    fileprivate static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
