import Glibc
import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// Tests a broker or a client by the numbered rules of the protocol.
@main
enum Main {
    static func main() {
        System.ignoreBrokenPipes()
        do {
            let options = try ConformanceOptions(Array(CommandLine.arguments.dropFirst()))
            exit(try run(options))
        } catch let error as ConformanceError {
            try? System.write(Array("pasteboard-conformance: \(error.text)\n".utf8).span, to: 2)
            exit(error.exitCode)
        } catch {
            try? System.write(Array("pasteboard-conformance: \(error)\n".utf8).span, to: 2)
            exit(4)
        }
    }

    private static func run(_ options: ConformanceOptions) throws -> CInt {
        let report: RuleReport
        switch options.object {
        case .broker(let path):
            let test = BrokerConformance(path: path, milliseconds: options.milliseconds, rules: options.rules)
            report = try test.report()
        case .client(let command):
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            let (milliseconds, rules) = (options.milliseconds, options.rules)
            report = try ClientConformance(command: command, milliseconds: milliseconds, rules: rules).report(signals)
        case .list:
            try print(try listing(of: options.rules))
            return 0
        case .help:
            try print(ConformanceOptions.usage)
            return 0
        }
        try print(options.isJSON ? try report.json : report.text)
        return report.hasFailures ? 1 : 0
    }

    private static func print(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: 1)
    }

    /// The tests of the rules, one a line, and what is not tested of them.
    private static func listing(of rules: [String]) throws -> String {
        let vectors = try BrokerConformance.vectors() + ExchangeFile.client()
        let tests = vectors.filter { !$0.isInternal && !Set(rules).isDisjoint(with: $0.rules) }.map { vector in
            "\(vector.file):\(vector.line) \(vector.rules.joined(separator: " ")): \(vector.title)"
        }
        let tested = Set(vectors.flatMap(\.rules)).union(BrokerAudit.rules).union(ClientAudit.rules)
        let rest = rules.compactMap { rule -> String? in
            if let part = ProtocolRule.untested[rule] { return "\(rule) not tested: \(part)" }
            return tested.contains(rule) ? nil : "\(rule) not tested"
        }
        return (tests + rest).map { $0.visible + "\n" }.joined()
    }
}

/// A reason why nothing could be tested.
struct ConformanceError: Error {
    let exitCode: CInt
    let text: String
}
