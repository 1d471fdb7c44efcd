/// A type that is not declared. Its identifier contains its tags and supertypes.
///
/// The identifier is `dyn.a` and the base-32 form of a descriptor, for example `?0=6:1=xyz`: fields of one key and
/// comma-separated values. So two processes with different tables derive the same identifier without communication.
struct DynamicType {
    private(set) var supertypes: [String] = []
    private(set) var tags: [UniformType.TagClass: [String]] = [:]

    private static let prefix = "dyn.a"
    /// Whether the identifier begins with `dyn.`. The prefix is reserved, so such a name is a dynamic identifier or
    /// invalid.
    static func isDynamic(_ identifier: String) -> Bool { identifier.hasFoldedPrefix("dyn.") }

    /// Decodes a dynamic identifier; nil unless it is in the canonical form.
    init?(_ identifier: String) {
        guard identifier.utf8.count <= TypeIdentifier.maximumLength, identifier.hasFoldedPrefix(Self.prefix),
            let descriptor = Base32.decode(identifier.utf8.dropFirst(Self.prefix.utf8.count))
        else { return nil }
        // A descriptor without supertypes begins directly with its first field.
        let fields = descriptor.first == UInt8(ascii: "?") ? descriptor.dropFirst() : descriptor[...]
        for field in Self.split(fields, at: UInt8(ascii: ":")) {
            guard let key = field.first, field.dropFirst().first == UInt8(ascii: "=") else { return nil }
            for value in Self.split(field.dropFirst(2), at: UInt8(ascii: ",")) {
                guard let text = Self.unescape(value) else { return nil }
                add(text, key: key)
            }
        }
        if supertypes.isEmpty && tags.isEmpty { return nil }
    }

    /// The identifier of the type with this tag only; nil for a class without a key, and if it would be too long.
    static func identifier(tag: String, tagClass: UniformType.TagClass, supertypes: [String]) -> String? {
        guard let key = key(of: tagClass), !tag.isEmpty else { return nil }
        var descriptor: [UInt8] = []
        if !supertypes.isEmpty {
            let values = supertypes.map { code(of: $0).map { [$0] } ?? escape($0) }
            descriptor += Array("?0=".utf8) + values.joined(separator: [UInt8(ascii: ",")])
            descriptor.append(UInt8(ascii: ":"))
        }
        descriptor += [key, UInt8(ascii: "=")] + escape(tag)
        let identifier = prefix + Base32.encode(descriptor)
        return identifier.utf8.count <= TypeIdentifier.maximumLength ? identifier : nil
    }

    private mutating func add(_ value: String, key: UInt8) {
        if key == UInt8(ascii: "0") {
            let supertype = value.utf8.count == 1 ? Self.supertype(code: value) : value
            if TypeIdentifier.isWellFormed(supertype) { supertypes.append(supertype) }
        } else if let tagClass = Self.tagClasses.first(where: { $0.key == key })?.tagClass, !value.isEmpty {
            // An untrusted peer may have made the identifier. The tag is appended to names of files and sent in headers
            // of messages.
            switch tagClass {
            case .filenameExtension where !TagLookup.isFilenameExtension(value): return
            case .mimeType where MediaType(value) == nil: return
            case .pasteboardType where !UniformType.isName(value): return
            default: break
            }
            if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { return }
            tags[tagClass, default: []].append(value)
        }
    }

    // MARK: - Keys and codes

    private static var tagClasses: [(key: UInt8, tagClass: UniformType.TagClass)] {
        [
            (UInt8(ascii: "1"), .filenameExtension),
            (UInt8(ascii: "2"), UniformType.TagClass(rawValue: "com.apple.ostype")),
            (UInt8(ascii: "3"), .mimeType),
            (UInt8(ascii: "4"), .pasteboardType),
            (UInt8(ascii: "5"), UniformType.TagClass(rawValue: "public.url-scheme")),
        ]
    }

    private static func key(of tagClass: UniformType.TagClass) -> UInt8? {
        tagClasses.first { $0.tagClass == tagClass }?.key
    }

    private static func code(of supertype: String) -> UInt8? {
        switch supertype.foldedASCII {
        case "public.data": UInt8(ascii: "6")
        case "public.text": UInt8(ascii: "7")
        case "public.plain-text": UInt8(ascii: "8")
        default: nil
        }
    }

    /// The supertype for a code. For an unknown code it is `public.data`, because there are more codes than this list
    /// contains.
    private static func supertype(code: String) -> String {
        switch code {
        case "7": "public.text"
        case "8": "public.plain-text"
        default: "public.data"
        }
    }

    // MARK: - Descriptors

    private static let backslash = UInt8(ascii: "\\")

    private static func escape(_ value: String) -> [UInt8] {
        value.utf8.flatMap { byte in
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "="), backslash: [backslash, byte]
            default: [byte]
            }
        }
    }

    private static func unescape(_ value: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in value {
            if byte == backslash && !isEscaped {
                isEscaped = true
            } else {
                bytes.append(byte)
                isEscaped = false
            }
        }
        return isEscaped ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// The parts between separators, except those after a backslash.
    private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var isEscaped = false
        for index in bytes.indices {
            if bytes[index] == separator && !isEscaped {
                parts.append(bytes[start..<index])
                start = index + 1
            }
            isEscaped = bytes[index] == backslash && !isEscaped
        }
        return parts + [bytes[start...]]
    }
}
