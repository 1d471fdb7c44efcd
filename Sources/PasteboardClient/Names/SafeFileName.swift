package import PasteboardTransport
package import PasteboardWire
package import TypeIdentifiers

/// A safe name for a file, made from the name that another process sent: one component of a path.
///
/// The name of a copied file stays as it is, even if it is not UTF-8, has no extension, or starts with a dot or a dash.
/// Only `/`, control characters, bidirectional controls, and the names `.` and `..` are replaced by `_`.
///
/// A name that a program merely suggests is changed further. Separators, NUL, control characters and bidirectional
/// controls become `_`. Dots and spaces at both ends are removed, so that the file is not hidden and not called `.` or
/// `..`. A `-` at the start, which a program would take for an option, becomes `_`. A name has at most 255 bytes; a
/// longer one is cut between characters and keeps its extension.
///
/// The extension of the type is added, unless the name already has an extension of the type or of a type that conforms
/// to it: plain text may be called `notes.md`. Any other extension is part of the name: a picture called `v1.2` becomes
/// `v1.2.png`. The extensions of a type that is unknown, or declared without extensions, are not known, so a name with
/// any extension keeps it.
package struct SafeFileName {
    private static let limit = 255

    private let stem: SystemString
    /// The extension with its dot, or empty.
    private let suffix: SystemString

    /// - Parameters:
    ///   - suggested: the suggested name; if none is usable the name is `pasted`.
    ///   - file: the attributes of a copied file, whose name, if there is one, is used instead.
    package init(suggested: String?, file: FileAttributes? = nil, type: UniformType) {
        if let name = file?.name {
            self.init(ofFile: SystemString(name))
            return
        }
        let name = suggested.flatMap(Self.clean) ?? "pasted"
        let extensions = type.filenameExtensionsOfKind.filter(Self.isUsable)
        if let own = Self.lastExtension(of: name), extensions.isEmpty || Self.fits(own, type) {
            self.init(name, extensionLength: own.utf8.count)
        } else {
            self.init(stem: name, suffix: extensions.first.map { ".\($0)" } ?? "")
        }
    }

    /// Makes the name of a copied file safe.
    package init(ofFile name: SystemString) {
        var bytes: [UInt8] = []
        for part in name.parts {
            switch part {
            case .scalar(let scalar):
                bytes += scalar == "/" || scalar.isHarmful ? [UInt8(ascii: "_")] : Array(scalar.utf8)
            case .byte(let byte): bytes.append(byte)
            }
        }
        var name = SystemString(bytes)
        switch name {
        case "": name = "pasted"
        case ".": name = "_"
        case "..": name = "__"
        default:
            // With the name of an unfinished file, the next run would remove the copy as a leftover.
            if Self.isWorkingName(name) { name = SystemString([UInt8(ascii: "_")] + name.bytes.dropFirst()) }
        }
        // An extension is ASCII, so other bytes of a name need not be UTF-8.
        let ascii = String(decoding: name.bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        let length = Self.lastExtension(of: ascii)?.utf8.count
        let end = length.map { name.bytes.count - 1 - $0 } ?? name.bytes.count
        stem = SystemString(name.bytes[..<end])
        suffix = SystemString(name.bytes[end...])
    }

    private init(_ name: String, extensionLength: Int) {
        let dot = name.utf8.index(name.endIndex, offsetBy: -1 - extensionLength)
        self.init(stem: String(name[..<dot]), suffix: String(name[dot...]))
    }

    private init(stem: String, suffix: String) {
        self.stem = SystemString(stem)
        self.suffix = SystemString(suffix)
    }

    /// The name itself, then `name 2.ext`, `name 3.ext` and so on.
    package func candidate(_ number: Int) -> SystemString {
        let ending = number == 1 ? suffix : SystemString(" \(number)") + suffix
        let room = Self.limit - ending.bytes.count
        guard stem.bytes.count > room else { return stem + ending }
        // Bytes that are not UTF-8 are cut anywhere.
        return (stem.text.map { SystemString(Self.cut($0, to: room)) } ?? SystemString(stem.bytes.prefix(room)))
            + ending
    }

    /// A suggested name as one safe component, independent of a type; nil if nothing is left of it.
    package static func component(_ suggested: String) -> String? {
        guard let name = clean(suggested) else { return nil }
        guard let own = lastExtension(of: name) else { return cut(name, to: limit) }
        return SafeFileName(name, extensionLength: own.utf8.count).candidate(1).description
    }

    // MARK: Unfinished files

    /// The start of the names of files that are still being written; 16 hexadecimal digits follow.
    package static let workingPrefix = ".pasteboard-unfinished-"

    package static func isWorkingName(_ name: SystemString) -> Bool {
        guard let text = name.text, text.hasPrefix(workingPrefix) else { return false }
        let digits = text.utf8.dropFirst(workingPrefix.utf8.count)
        return digits.count == 16 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    // MARK: Names

    // Names are processed by scalars: a dot with a combining mark is another character, but still hides a file.
    private static func clean(_ suggested: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in suggested.unicodeScalars {
            let isUsable = scalar != "/" && !scalar.isHarmful
            scalars.append(isUsable ? scalar : "_")
        }
        var name = trimEnd(scalars[...]).drop(while: isMargin)
        if name.first == "-" { name.replaceSubrange(..<name.index(after: name.startIndex), with: ["_"]) }
        return name.isEmpty ? nil : String(name)
    }

    private static func cut(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        var end = name.startIndex
        var length = 0
        while true {
            let next = name.index(after: end)
            length += name.utf8.distance(from: end, to: next)
            guard length <= limit else { break }
            end = next
        }
        // A single character can be longer than the limit.
        let start = end == name.startIndex ? name.prefix(utf8Count: limit) : String(name[..<end])
        return String(trimEnd(start.unicodeScalars[...]))
    }

    private static func trimEnd(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        guard let last = scalars.lastIndex(where: { !isMargin($0) }) else { return scalars.prefix(0) }
        return scalars[...last]
    }

    private static func isMargin(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar == " " }

    // MARK: Extensions

    /// Whether a type's extension may be added to a name. The extension of a dynamic type can be any text.
    private static func isUsable(_ tag: String) -> Bool {
        tag.utf8.count <= 32 && clean(tag) == tag
    }

    /// The text after the last dot, if it looks like an extension.
    private static func lastExtension(of name: String) -> String? {
        guard let dot = name.utf8.dropFirst().lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let text = name[name.utf8.index(after: dot)...]
        let isExtension =
            1...16 ~= text.utf8.count
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789+-".unicodeScalars.contains(scalar))
            }
        return isExtension ? String(text) : nil
    }

    private static func fits(_ own: String, _ type: UniformType) -> Bool {
        if type.tags[.filenameExtension] == nil, type.isDynamic || !type.isSystemDeclared { return true }
        return type.hasFilenameExtension(own)
    }
}
