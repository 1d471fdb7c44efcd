import PasteboardWire

/// The options of `copy` and `offer` for the contents as a whole: their flags, their lifetime, and the condition of the
/// write.
struct ContentOptions {
    static let options: [CommandSyntax.Option] = [
        .init("--sensitive", "marks a secret, such as a password"),
        .init("--ttl", value: "DURATION", "clears the contents after this time"),
        .init("--once", "each item can be pasted once"),
        .init("--loads", value: "N", "each item can be pasted N times"),
        .init("--transient", "asks histories to leave the contents out"),
        .init("--local", "keeps the contents on this machine"),
        .ifChange,
        .init("--no-evict", "fails if it had to clear others to make room"),
    ]

    static let help = """
        Sensitive contents are in the memory of the broker only, and are refused to programs that load them without a
        user. If they are kept, they are cleared after 90 s or --ttl. Without --no-evict, contents of programs
        that have ended may be cleared to make room, and a note names their pasteboards.
        """

    /// nil if no option sets a flag or the lifetime.
    private(set) var terms: ContentTerms?
    let ifChangeCount: UInt64?
    private let evictsNothing: Bool

    var isConcealed: Bool { terms?.isConcealed == true }

    init(_ arguments: ParsedArguments) throws {
        var terms = ContentTerms()
        if arguments.has("--sensitive") { terms.isConcealed = true }
        if arguments.has("--transient") { terms.isTransient = true }
        if arguments.has("--local") { terms.isLocalOnly = true }
        terms.maximumLoads = try Self.loads(arguments)
        if let duration = try arguments.value("--ttl").map(TimeoutArgument.init) {
            guard let milliseconds = duration.milliseconds else {
                throw CommandFailure(usage: "--ttl infinity is no time; omit --ttl, or write a time such as 45s")
            }
            terms.expiresMilliseconds = milliseconds
        }
        self.terms = terms == ContentTerms() ? nil : terms
        ifChangeCount = try arguments.changeCount()
        evictsNothing = arguments.has("--no-evict")
    }

    private static func loads(_ arguments: ParsedArguments) throws -> UInt32? {
        guard let text = try arguments.value("--loads") else { return arguments.has("--once") ? 1 : nil }
        guard !arguments.has("--once") else {
            throw CommandFailure(usage: "options --once and --loads cannot be combined")
        }
        guard let count = UInt32(text), count > 0 else {
            throw CommandFailure(usage: "invalid number '\(text)' of --loads; write 1 or more")
        }
        return count
    }

    /// Sets the flags that hints among the types of the contents set, as password managers of other systems do.
    mutating func applyHints(in types: some Sequence<String>) {
        terms = ContentTerms.terms(terms, withHintsIn: types)
    }

    /// Adds the flags and the shorter lifetime of contents that are copied.
    mutating func join(_ others: ContentTerms?) {
        if let others { terms = terms?.joined(with: others) ?? others }
    }

    /// A write to a board with these options.
    ///
    /// - Parameters:
    ///   - terms: the terms of the contents, instead of those of the options.
    ///   - changeCount: the condition of the write, instead of that of the options.
    func write(to board: String, terms: ContentTerms? = nil, ifChangeCount changeCount: UInt64? = nil) -> Write {
        let (terms, ifChangeCount) = (terms ?? self.terms, changeCount ?? ifChangeCount)
        var write = Write()
        write.board = board
        write.ifChangeCount = ifChangeCount
        write.terms = terms
        if ifChangeCount != nil { write.requires.append(Feature.condition.rawValue) }
        if terms != nil { write.requires.append(Feature.terms.rawValue) }
        if evictsNothing {
            write.evictsNothing = true
            write.requires.append(Feature.eviction.rawValue)
        }
        return write
    }
}

extension CommandSyntax.Option {
    static let ifChange = Self("--if-change", value: "N", "does nothing unless the change count is N")
}

extension ParsedArguments {
    /// The change count that an option names.
    func changeCount(_ option: String = "--if-change") throws -> UInt64? {
        guard let text = try value(option) else { return nil }
        guard let count = UInt64(text) else {
            throw CommandFailure(usage: "invalid change count '\(text)'; write a number as info --json shows it")
        }
        return count
    }
}
