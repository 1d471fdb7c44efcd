import TypeIdentifiers

/// The value of `-t`: a type, and for `copy` and `offer` where its bytes come from.
struct TypeArgument {
    let type: UniformType
    /// What stands behind `=`: a file or a command.
    let origin: String?

    /// For what gives bytes: the type has to be a particular one.
    init(giving argument: String) throws(CommandFailure) {
        let parts = Self.split(argument)
        switch parts.type {
        case "text": self.type = .utf8PlainText
        case "image":
            throw CommandFailure(usage: "-t image is a family of types; name the one that the bytes have: -t .png, say")
        default: self.type = try Self.type(parts.type)
        }
        if let origin = parts.origin, origin.isEmpty {
            throw CommandFailure(usage: "nothing follows the '=' of '\(argument)'")
        }
        self.origin = parts.origin
    }

    /// For what takes bytes: `text` and `image` mean whatever conforms to them.
    static func type(_ spelling: String) throws(CommandFailure) -> UniformType {
        guard let type = UniformType.fromUserSpelling(spelling) else {
            throw CommandFailure(
                usage:
                    "'\(spelling)' is no type; write an identifier (public.png), a MIME type (image/png), an extension "
                    + "(.png), text or image"
            )
        }
        return type
    }

    /// The type ends at the first `=` that is not a MIME parameter's own: `text/plain;charset=utf-8=notes.txt`.
    private static func split(_ argument: String) -> (type: String, origin: String?) {
        var isParameter = false
        for index in argument.indices {
            switch argument[index] {
            case ";":
                isParameter = true
            case "=" where isParameter:
                isParameter = false
            case "=":
                return (String(argument[..<index]), String(argument[argument.index(after: index)...]))
            default:
                break
            }
        }
        return (argument, nil)
    }
}
