/// The type of a file, decided from its name and the start of its contents.
///
/// If one declared type has the extension, that type is the result. If several have it, the contents decide among them.
/// Without an extension the contents decide alone. If no declared type has the extension, the contents decide what the
/// extension's dynamic type conforms to, or replace it if they are, for example, a picture or sound. Text is UTF-8
/// without NUL; an empty file counts as text.
package struct FileType {
    /// The largest number of bytes that are examined: binary data after that many bytes of text is not noticed.
    package static let maximumHeadLength = 64 << 10

    package let type: UniformType
    /// The type of the contents, if it contradicts the extension of the name.
    package let contradiction: UniformType?

    /// - Parameters:
    ///   - names: names and paths; the first one with an extension counts. Empty for bytes without a name.
    ///   - head: the first bytes, at least as many as ``headLength(named:)`` requires, or all.
    ///   - isWhole: whether `head` contains all bytes.
    package init(named names: [String], head: Span<UInt8>, isWhole: Bool) {
        let tag = names.lazy.compactMap(UniformType.fileExtension).first
        let claimants = tag.map(Self.types) ?? []
        let contents = FileContents(head, isWhole: isWhole)
        guard let first = claimants.first else {
            (type, contradiction) = (contents.type, nil)
            return
        }
        if first.isDynamic {
            (type, contradiction) = (contents.type(forUnknown: first), nil)
        } else if let unknown = claimants.last, unknown.isDynamic, !contents.isSigned(as: first) {
            (type, contradiction) = (contents.type(forUnknown: unknown), nil)
        } else {
            type = claimants.count == 1 ? contents.refined(first) : contents.choice(of: claimants, head)
            contradiction = contents.contradicts(type) ? contents.type : nil
        }
    }

    /// The number of first bytes to examine. Few bytes are enough to contradict an extension; more are examined only if
    /// the contents decide.
    package static func headLength(named names: [String]) -> Int {
        let claimants = names.lazy.compactMap(UniformType.fileExtension).first.map(types) ?? []
        return claimants.count == 1 && claimants[0].isDeclared ? 4 << 10 : maximumHeadLength
    }

    /// The declared types that a file of this name can have; empty if no type has its extension.
    package static func declaredTypes(forFileNamed name: String) -> [UniformType] {
        let types = UniformType.fileExtension(of: name).map(types) ?? []
        return types.contains(where: \.isDynamic) ? [] : types
    }

    /// The types that a file with this extension can have: the declared ones, otherwise the dynamic one.
    ///
    /// The extension `bin` has the dynamic one, too: it is declared for MacBinary archives, but most such files are of
    /// another type.
    static func types(ofExtension tag: String) -> [UniformType] {
        let types = UniformType.types(tag: tag, tagClass: .filenameExtension, conformingTo: .data)
        guard tag.foldedASCII == "bin" else { return types }
        let supertypes = [UniformType.data.identifier]
        let dynamic = DynamicType.identifier(tag: "bin", tagClass: .filenameExtension, supertypes: supertypes)
        return types + [dynamic].compactMap(\.self).map(UniformType.init(known:))
    }
}

extension FileContents {
    fileprivate func isSigned(as type: UniformType) -> Bool {
        if case .signed(let signature) = self { signature.type == type.identifier } else { false }
    }

    /// The type of a file whose extension is not declared. Usually it is the type of the contents. But many types share
    /// the forms of text and of containers: for these it is the dynamic type, which conforms to the type of the
    /// contents.
    fileprivate func type(forUnknown dynamic: UniformType) -> UniformType {
        switch self {
        case .bytes: return dynamic
        case .signed(let signature) where !signature.family.isContainer: return type
        case .signed(let signature):
            let own = UniformType(known: signature.type)
            let added = dynamic.conforms(to: own) ? [] : [signature.type]
            return UniformType(identifier: dynamic.identifier, supertypes: dynamic.closure + added)
        case .utf16: return UniformType(identifier: dynamic.identifier, supertypes: [type.identifier])
        case .empty, .text:
            // The MIME database is used only if it declares the extension as text as well.
            if dynamic.conforms(to: .plainText) { return dynamic }
            let own = type == .utf8PlainText ? .plainText : type
            let known = dynamic.conforms(to: .text) ? dynamic.closure : []
            let added = own.conforms(to: .plainText) ? [own] : [own, .plainText]
            return UniformType(identifier: dynamic.identifier, supertypes: known + added.map(\.identifier))
        }
    }

    /// The type of an extension, with the encoding that the contents show.
    fileprivate func refined(_ type: UniformType) -> UniformType {
        if case .utf16 = self, type == .plainText { .utf16PlainText } else { type }
    }

    /// The type that matches the contents, from several types of one extension; otherwise the first possible type.
    fileprivate func choice(of claimants: [UniformType], _ head: Span<UInt8>) -> UniformType {
        let choice =
            switch self {
            case .signed(let signature):
                claimants.first { $0 == type } ?? claimants.first { type.conforms(to: $0) }
                    ?? claimants.first(where: signature.suits)
            case .text(let own?) where claimants.contains(own): own
            case .text, .utf16, .empty:
                claimants.first { $0 == Self.matlabSource && Self.isMATLAB(head) }
                    ?? claimants.first { $0.conforms(to: .text) && !Markup.types.contains($0) }
            case .bytes: claimants.first { !$0.conforms(to: .text) }
            }
        return choice ?? claimants[0]
    }

    private static var matlabSource: UniformType { UniformType(known: "org.swift-pasteboard.matlab-source") }

    /// Whether text starts like MATLAB source. Objective-C, which has the same extension, never starts like that.
    private static func isMATLAB(_ text: Span<UInt8>) -> Bool {
        ["'%'", "'function '", "'classdef '"].contains { BytePattern.matches($0, text) }
    }

    /// Whether the contents cannot be those of a file of `type`.
    fileprivate func contradicts(_ type: UniformType) -> Bool {
        switch self {
        case .empty, .bytes: return false
        case .text, .utf16: return !type.conforms(to: .text) && FileSignature.describes(type)
        case .signed(let signature):
            if signature.suits(type) { return false }
            let own = UniformType(known: signature.type)
            if own.conforms(to: .text) && type.conforms(to: .text) { return false }
            let families = [UniformType.image, .audiovisualContent]
            return type.conforms(to: .text) || FileSignature.describes(type)
                || families.contains { own.conforms(to: $0) && !type.conforms(to: $0) }
        }
    }
}
