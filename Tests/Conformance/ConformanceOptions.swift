import PasteboardWire
import ProtocolVectors

/// The arguments of the program.
struct ConformanceOptions {
    static let usage = """
        usage: pasteboard-conformance --broker SOCKET | --client COMMAND | --list
                                      [--rule RULE] [--timeout MILLISECONDS] [--json]

        Tests a broker or a client of any origin by the numbered rules of the protocol.

          --broker SOCKET         tests the broker that listens at this path
          --client COMMAND        tests a client: 'sh' runs COMMAND with a verb appended
          --list                  prints the tests with their file, line and rules, and
                                  the parts of rules that are not tested
          --rule RULE             tests this rule alone, such as W5, or all rules with a
                                  letter, such as W
          --timeout MILLISECONDS  the time for each answer, or for each run of a client;
                                  by default 5000
          --json                  prints JSON

        Prints one line for each rule: 'ok', 'FAILED', or '-' if it is not tested. Then
        follows each failed test, once: its place in the files of vectors, its rules,
        the step, the expected and the actual event, and its frames. Ends with 1 if a
        rule is broken.

        A broker should be a new one: the test writes and clears the pasteboards
        'general' and 'conformance', and others and destinations of such names.

        A client finds a scripted broker at PASTEBOARD_SOCKET, and ends with 0 only if
        all went well, else with 1 to 125. The verbs:

          paste  loads the first item of the pasteboard 'general' and writes its bytes
                 to standard output
          copy   publishes standard input on 'general' as kept bytes of the type
                 public.utf8-plain-text
          offer  publishes a promise of that type on 'general', and sends standard input
                 whenever it is asked, until the publication ends

        A client that does not support a verb ends with 77; the rules are then not
        tested. Its standard error is not redirected.

        """

    enum Object {
        case broker(String)
        case client(String)
        case list
        case help
    }

    let object: Object
    let rules: [String]
    let milliseconds: Int
    let isJSON: Bool

    init(_ arguments: [String]) throws(ConformanceError) {
        var objects: [Object] = []
        var rule: String?
        var milliseconds = 5_000
        var isJSON = false
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--broker": objects.append(.broker(try Self.value(of: option, from: &rest)))
            case "--client": objects.append(.client(try Self.value(of: option, from: &rest)))
            case "--list": objects.append(.list)
            case "--help": objects.append(.help)
            case "--json": isJSON = true
            case "--rule": rule = try Self.value(of: option, from: &rest)
            case "--timeout":
                let text = try Self.value(of: option, from: &rest)
                guard let count = Int32(text), count > 0 else {
                    throw Self.misused("--timeout is a number of milliseconds, not '\(text.visible)'")
                }
                milliseconds = Int(count)
            default: throw Self.misused("unknown argument '\(option.visible)'")
            }
        }
        guard objects.count == 1 else {
            throw Self.misused("name one of --broker SOCKET, --client COMMAND and --list")
        }
        object = objects[0]
        rules = ProtocolRule.all.filter { rule == nil || $0 == rule || String($0.prefix(1)) == rule }
        if let rule, rules.isEmpty {
            throw Self.misused("the protocol has no rule '\(rule.visible)'; name one such as W5, or a letter such as W")
        }
        self.milliseconds = milliseconds
        self.isJSON = isJSON
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws(ConformanceError) -> String
    {
        guard let value = rest.popFirst() else { throw misused("\(option) needs a value") }
        return value
    }

    private static func misused(_ text: String) -> ConformanceError {
        ConformanceError(exitCode: 2, text: "\(text); see --help")
    }
}
