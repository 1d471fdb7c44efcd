import ProtocolVectors

/// The results of all numbered rules.
struct RuleReport {
    private struct Result {
        var passed = 0
        var failures: [String] = []
        var note: String?
    }

    private var results: [String: Result] = [:]

    var hasFailures: Bool { results.values.contains { !$0.failures.isEmpty } }

    mutating func pass(_ rules: [String]) {
        for rule in rules { results[rule, default: Result()].passed += 1 }
    }

    /// Notes a difference.
    mutating func fail(_ rules: [String], _ text: String) {
        for rule in rules { results[rule, default: Result()].failures.append(text) }
    }

    /// Notes why a test of the rules was left out.
    mutating func omit(_ rules: [String], _ reason: String) {
        for rule in rules { results[rule, default: Result()].note = reason }
    }

    /// A line for each rule, one more for each further failure of a rule, and a summary.
    var text: String {
        var counts = (ok: 0, failed: 0, untested: 0)
        var lines: [String] = []
        for rule in ProtocolRule.all {
            let result = results[rule] ?? Result()
            if !result.failures.isEmpty {
                counts.failed += 1
                lines += result.failures.map { "FAILED \(rule): \($0)" }
            } else if result.passed > 0 {
                counts.ok += 1
                let rest = result.note.map { "; others not tested: \($0)" } ?? ""
                lines.append("ok \(rule) (\(result.passed.counted("test"))\(rest))")
            } else {
                counts.untested += 1
                lines.append("- \(rule) not tested\(result.note.map { ": \($0)" } ?? " from this side")")
            }
        }
        lines.append("\(counts.ok) rules ok, \(counts.failed) failed, \(counts.untested) not tested")
        return lines.map { VisibleText.line($0) + "\n" }.joined()
    }

    var json: JSONValue {
        .array(
            ProtocolRule.all.map { rule in
                let result = results[rule] ?? Result()
                let name = !result.failures.isEmpty ? "failed" : result.passed > 0 ? "ok" : "untested"
                return [
                    "rule": .string(rule), "result": .string(name), "passed": JSONValue(result.passed),
                    "failures": .array(result.failures.map { .string($0) }), "note": JSONValue(result.note),
                ]
            }
        )
    }
}
