import PasteboardWire
package import TypeIdentifiers

/// A name for a file, made from what a stranger suggests: one component, visible, harmless to a shell's `*`.
package struct SafeFileName {
    private static let limit = 255

    private let stem: String
    /// With its dot, or empty.
    private let suffix: String

    /// - Parameter type: its extension is added to a name that has none.
    package init(suggested: String?, type: UniformType) {
        var name = ""
        for scalar in (suggested ?? "").unicodeScalars {
            let isUsable = scalar != "/" && !scalar.isHarmful
            name.unicodeScalars.append(isUsable ? scalar : "_")
        }
        // Hidden files, `.` and `..`, and what a program would take for an option.
        name = String(name.drop { $0 == "." || $0 == " " })
        while name.hasSuffix(" ") || name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("-") { name = "_" + name.dropFirst() }
        if name.isEmpty { name = "pasted" }

        if let dot = name.dropFirst().lastIndex(of: "."), Self.isExtension(name[name.index(after: dot)...]) {
            self.stem = String(name[..<dot])
            self.suffix = String(name[dot...])
        } else {
            self.stem = name
            // Its own, else of what it is a kind of: UTF-8 text is a .txt.
            let types = [type] + type.supertypeIdentifiers.map { UniformType(identifier: $0, supertypes: []) }
            self.suffix = types.lazy.compactMap(\.preferredFilenameExtension).first.map { ".\($0)" } ?? ""
        }
    }

    private static func isExtension(_ text: Substring) -> Bool {
        1...16 ~= text.count && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-") }
    }

    /// The name itself, then `name 2.ext`, `name 3.ext` and so on.
    package func candidate(_ number: Int) -> String {
        let ending = number == 1 ? self.suffix : " \(number)\(self.suffix)"
        return self.stem.prefix(utf8Count: Self.limit - ending.utf8.count) + ending
    }
}

extension Unicode.Scalar {
    /// Whether it does something to a terminal or to the order of a line instead of being seen.
    package var isHarmful: Bool {
        switch self.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        // Line and paragraph separator, and the controls of direction.
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
