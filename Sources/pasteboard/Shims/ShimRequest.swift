import PasteboardTransport

/// The arguments of one of the programs, as a value that does not depend on the program.
struct ShimRequest: Equatable {
    enum Action {
        case help, version, watch, types, output, clear, input, keep
    }

    /// The actions, which are carried out in the order of their declaration. Empty only for `xsel` without an option
    /// for one: then they depend on the terminal.
    var actions: Set<Action>
    var board: String
    /// The types as the program spells them, best first; empty for its default.
    var types: [String] = []
    /// The text beside other contents.
    var alternative: String?
    /// The number of times that the contents can be pasted.
    var loads: UInt32?
    var trimsNewline = false
    /// Whether a newline follows text.
    var endsLine: Bool
    /// Whether the process remains until the contents are replaced.
    var staysInForeground = false
    var printsInput = false
    var appends = false
    var isSensitive = false
    /// The maximum duration of a paste, and the lifetime of what is copied, in milliseconds.
    var timeout: UInt32?
    /// Words or files to copy, or the command of a watch.
    var operands: [SystemString] = []

    init(_ arguments: [SystemString], for program: ShimProgram) throws {
        switch program {
        case .pbcopy, .wlCopy, .xclip: actions = [.input]
        case .pbpaste, .wlPaste: actions = [.output]
        case .xsel: actions = []
        }
        board = program == .xclip || program == .xsel ? "primary" : "general"
        endsLine = program == .wlPaste
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let isOption = argument.bytes.first == UInt8(ascii: "-") && argument != "-"
            if argument == "--", !program.hasLongNamesOnly {
                operands += rest
                break
            } else if !isOption {
                operands.append(argument)
            } else {
                try apply(argument, &rest, program)
            }
            if actions.contains(.watch) {
                operands += rest
                break
            }
        }
        let takesOperands = program == .wlCopy || program == .xclip || actions.contains(.watch)
        if let first = operands.first, !takesOperands {
            throw CommandFailure(usage: "unexpected argument '\(first)'; see \(program.rawValue) \(program.helpOption)")
        }
    }

    /// Makes the rest of the arguments the command of a watch.
    mutating func watch(_ command: String) {
        actions = [.watch]
        endsLine = false
        operands = [SystemString(command)]
    }

    /// Applies an option, or the options of several letters.
    private mutating func apply(
        _ argument: SystemString,
        _ rest: inout ArraySlice<SystemString>,
        _ program: ShimProgram
    ) throws {
        let bytes = argument.bytes
        let isLetter = !program.hasLongNamesOnly && !bytes.starts(with: "--".utf8) && bytes[bytes.startIndex + 1] < 0x80
        let sign = program.hasLongNamesOnly ? nil : bytes.firstIndex(of: UInt8(ascii: "="))
        let end = isLetter ? bytes.startIndex + 2 : sign ?? bytes.endIndex
        let name = SystemString(bytes[..<end]).description
        // The text after `=`, or the further letters.
        let attached = end == bytes.endIndex ? nil : SystemString(bytes[(isLetter ? end : end + 1)...])
        guard let option = ShimOption.named(name, of: program) else {
            let help = "\(program.rawValue) \(program.helpOption)"
            throw CommandFailure(usage: "option '\(name)' is not supported; \(help) lists the supported ones")
        }
        guard option.takesValue else {
            try option.effect(&self, "")
            guard let attached else { return }
            guard isLetter else { throw CommandFailure(usage: "option \(name) takes no value") }
            return try apply("-" + attached, &rest, program)
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandFailure(usage: "option \(name) needs a value")
        }
        guard let text = value.text else {
            throw CommandFailure(usage: "invalid value '\(value)' of \(name): it is not UTF-8")
        }
        try option.effect(&self, text)
    }
}
