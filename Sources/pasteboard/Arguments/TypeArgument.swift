import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The value of `-t`: a type, and for `copy`, `drag` and `offer` the origin of its bytes.
struct TypeArgument {
    /// A paragraph for help.
    static let help = """
        A TYPE is an identifier (public.png), a MIME type (image/png), an extension (png, .png) or another name of X11
        and Wayland (_VIM_TEXT). To paste or accept, it may also be a family (text, image, audio, video, 'image/*').
        """
    /// A paragraph for the help of each command that takes files.
    static let contents = """
        The type of a file follows from its extension, that of standard input from --name. If there is none, or if it is
        unknown or has several types, the contents decide. With -t, text is UTF-8 text.
        """

    /// The type as the user wrote it.
    let spelling: String
    let type: UniformType
    /// The text after `=`: a file or a command.
    let origin: SystemString?

    /// Parses the argument of a command that provides bytes. The only family that it accepts is `text`, for UTF-8 text.
    init(giving argument: SystemString) throws(CommandFailure) {
        let parts = Self.split(argument)
        guard let spelling = parts.type.text else {
            throw CommandFailure(usage: "invalid type '\(parts.type)': it is not UTF-8")
        }
        self.spelling = spelling
        switch UniformType.family(named: spelling) {
        case .text?: type = .utf8PlainText
        case .some:
            throw CommandFailure(
                usage: "type '\(spelling)' is a family of types; write the type of the bytes, for example -t png"
            )
        case nil: type = try Self.types(spelling)[0]
        }
        if let origin = parts.origin, origin.isEmpty {
            throw CommandFailure(usage: "missing value after the '=' of '\(argument)'")
        }
        self.origin = parts.origin
    }

    /// Returns the types that a command accepts: the type of a family, and for an extension all types that have it.
    static func types(_ spelling: String) throws(CommandFailure) -> [UniformType] {
        let types = UniformType.accepted(byUserSpelling: spelling)
        guard !types.isEmpty else {
            throw CommandFailure(
                usage:
                    "unknown type '\(spelling)'; write an identifier (public.png), a MIME type (image/png), an extension "
                    + "(png, .png), or a family (text, image, audio, video, image/*)"
            )
        }
        return types
    }

    /// Returns the types that the values of an option name, for an accept list.
    ///
    /// - Parameter shown: the option as errors name it.
    static func accepted(_ option: String, shown: String, of arguments: ParsedArguments) throws -> [UniformType] {
        let types = try arguments.values(option).flatMap(types)
        guard types.count <= WireLimits.accepts else {
            throw CommandFailure(
                usage: "\(shown) names \(types.count) types; at most \(WireLimits.accepts) are allowed"
            )
        }
        return types
    }

    /// Returns the arguments of one item. Of several names of one type the first counts, as with programs that offer
    /// `text/html` and `text/html;charset=utf-8`.
    static func giving(_ arguments: [SystemString]) throws -> [TypeArgument] {
        var distinct: [TypeArgument] = []
        for argument in try arguments.map(TypeArgument.init(giving:)) {
            if distinct.contains(where: { $0.type == argument.type }) {
                StandardStreams.remark(
                    "type '\(argument.spelling)' is ignored, because it is \(argument.type), which the item already has"
                )
            } else {
                distinct.append(argument)
            }
        }
        return distinct
    }

    /// The type ends at the first `=` that is not a MIME parameter's own: `text/plain;charset=utf-8=notes.txt`.
    private static func split(_ argument: SystemString) -> (type: SystemString, origin: SystemString?) {
        let bytes = argument.bytes
        var (isParameter, isQuoted) = (false, false)
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case _ where isQuoted:
                break
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
