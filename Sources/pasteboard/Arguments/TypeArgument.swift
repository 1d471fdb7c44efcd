import PasteboardTransport
import TypeIdentifiers

/// The value of `-t`: a type, and for `copy` and `offer` where its bytes come from.
struct TypeArgument {
    /// For the help of each command that takes a type.
    static let help = """
        A TYPE is an identifier (public.png), a MIME type (image/png), an extension (png, .png), or a family to take from
        (text, image, audio, video, or 'image/*'); to give, text is UTF-8 text.
        """
    /// For the help of each command that takes files.
    static let contents = """
        Standard input, and a file without an extension that is known, has the type of its contents: pictures, archives
        and other formats are recognized, the rest is text if it starts as UTF-8 without NUL, else public.data. --name
        x.png counts as an extension. Of an extension with several types (.ts) the contents choose; where they contradict
        the extension otherwise, a note says so.
        """

    let type: UniformType
    /// What stands behind `=`: a file or a command.
    let origin: SystemString?

    /// For what gives bytes: the type has to be a particular one.
    init(giving argument: SystemString) throws(CommandFailure) {
        let parts = Self.split(argument)
        guard let spelling = parts.type.text else {
            throw CommandFailure(usage: "'\(parts.type)' is not UTF-8, and so no type")
        }
        switch UniformType.family(named: spelling) {
        case .text?: self.type = .utf8PlainText
        case .some:
            throw CommandFailure(
                usage: "-t \(spelling) is a family of types; name the one that the bytes have: -t png, say"
            )
        case nil: self.type = try Self.types(spelling)[0]
        }
        if let origin = parts.origin, origin.isEmpty {
            throw CommandFailure(usage: "nothing follows the '=' of '\(argument)'")
        }
        self.origin = parts.origin
    }

    /// For what takes bytes: a family stands for its types, and an extension for each type that has it.
    static func types(_ spelling: String) throws(CommandFailure) -> [UniformType] {
        let types = UniformType.accepted(byUserSpelling: spelling)
        guard !types.isEmpty else {
            throw CommandFailure(
                usage:
                    "'\(spelling)' is no type; write an identifier (public.png), a MIME type (image/png), an extension "
                    + "(png, .png), or a family (text, image, audio, video, image/*)"
            )
        }
        return types
    }

    /// The type ends at the first `=` that is not a MIME parameter's own: `text/plain;charset=utf-8=notes.txt`.
    private static func split(_ argument: SystemString) -> (type: SystemString, origin: SystemString?) {
        let bytes = argument.bytes
        var isParameter = false
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: ";"):
                isParameter = true
            case UInt8(ascii: "=") where isParameter:
                isParameter = false
            case UInt8(ascii: "="):
                return (SystemString(bytes[..<index]), SystemString(bytes[(index + 1)...]))
            default:
                break
            }
        }
        return (argument, nil)
    }
}
