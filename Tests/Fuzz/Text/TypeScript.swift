import BrokerModel
import PasteboardClient
import PasteboardTransport
import PasteboardWire

#if DEBUG || FUZZING
@testable import TypeIdentifiers
#else
import TypeIdentifiers
#endif

/// Reads an input as names and contents from other programs: identifiers, MIME types, file names, the start of a file,
/// and files of a MIME database.
struct TypeScript {
    private let form: UInt8
    private let parts: [[UInt8]]

    /// - Parameter bytes: one byte for the form, then parts that are separated by NUL.
    init(_ bytes: [UInt8]) {
        let input = Choices(bytes)
        form = input.byte()
        parts = input.rest().split(separator: 0, omittingEmptySubsequences: false).prefix(8).map { Array($0) }
    }

    func run() {
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        for text in texts { lookUp(text) }
        for part in parts { nameFile(part, texts) }
        examine(texts)
        choose(texts)
        searchDatabase(texts)
    }

    // MARK: Types

    private func lookUp(_ text: String) {
        let types =
            [UniformType(text), UniformType(filenameExtension: text), UniformType(mimeType: text)].compactMap(\.self)
            + UniformType.accepted(byUserSpelling: text) + [UniformType.forFile(named: text), .forFolder(named: text)]
        for type in types {
            check(UniformType(type.identifier) != nil || !type.isDynamic, "\(type.identifier) is not canonical")
            let isShort = type.identifier.utf8.count <= WireLimits.typeIdentifier
            check(isShort || !type.isDynamic, "a dynamic identifier is too long")
            check(type.conforms(to: type), "\(type) does not conform to itself")
            _ = type.publishedSupertypes
            _ = type.filenameExtensionsOfKind
            _ = type.tags
            _ = type.textEncodingName
            _ = UniformType.readable(type.identifier)
        }
        #if DEBUG || FUZZING
        if let dynamic = DynamicType(text) {
            for tag in dynamic.tags.values.joined() {
                check(!tag.unicodeScalars.contains { $0.isControl }, "a tag has control characters")
            }
        }
        if let media = MediaType(text) { check(MediaType(media.tag)?.tag == media.tag, "'\(media.tag)' changes") }
        #endif
    }

    // MARK: Files

    private func nameFile(_ name: [UInt8], _ texts: [String]) {
        let type = texts.last.flatMap { UniformType($0) } ?? .png
        let text = String(decoding: name, as: UTF8.self)
        var attributes = FileAttributes()
        attributes.name = name
        let names = [
            SafeFileName(suggested: text, type: type), SafeFileName(suggested: text, file: attributes, type: type),
            SafeFileName(ofFile: SystemString(name)),
        ]
        for number in [1, 2, 1_000] {
            for name in names.map({ $0.candidate(number) }) {
                check(name.isName && name.bytes.count <= 255, "'\(name)' is no name of a file")
                check(!SafeFileName.isWorkingName(name), "'\(name)' is the name of an unfinished file")
                for part in name.parts {
                    if case .scalar(let scalar) = part { check(!scalar.isHarmful, "'\(name)' changes a terminal") }
                }
            }
        }
        if let component = SafeFileName.component(text) {
            check(SystemString(component).isName && component.utf8.count <= 255, "'\(component)' is no name")
        }
    }

    /// Determines the type of a file from its name and the start of its contents.
    private func examine(_ texts: [String]) {
        guard let head = parts.last else { return }
        let names = Array(texts.prefix(Int(form & 3)))
        let file = FileType(named: names, head: head.span, isWhole: form & 4 != 0)
        check(file.type.conforms(to: file.type), "\(file.type) does not conform to itself")
        _ = FileType.headLength(named: names)
        _ = UTF8Scan.isText(head.span, isWhole: form & 4 != 0)
    }

    // MARK: Representations

    /// Chooses one of several types by an accept list.
    private func choose(_ texts: [String]) {
        let accepts = texts.map { text in Accept(text) }
        let representations = texts.reversed().map { text in
            var representation = Representation()
            representation.type = text
            representation.supertypes = form & 8 == 0 ? [] : texts
            return representation
        }
        let index = Conformance.TypeIndex(representations)
        for list in [AcceptList(accepts), AcceptList(accepts, preference: .acceptList)] {
            guard let chosen = list.choose(among: index) else { continue }
            check(representations.indices.contains(chosen), "representation \(chosen) does not exist")
        }
        let same = texts.firstIndex { TypeIdentifier.isWellFormed($0) }
        if let same { check(AcceptList([accepts[same]]).choose(among: index) != nil, "'\(texts[same])' is not found") }
    }

    private func searchDatabase(_ texts: [String]) {
        #if DEBUG || FUZZING
        var files = SharedMimeInfo.Files()
        if parts.count > 4 {
            (files.types, files.aliases, files.subclasses, files.globs) = (parts[1], parts[2], parts[3], parts[4])
        }
        let database = SharedMimeInfo([files, files])
        for text in texts.prefix(2) {
            _ = database.otherNames(of: text)
            _ = database.filenameExtensions(of: text)
            for tagClass in [UniformType.TagClass.mimeType, .filenameExtension] {
                let supertypes = form & 16 == 0 ? [] : ["public.data"]
                let identifier = DynamicType.identifier(tag: text, tagClass: tagClass, supertypes: supertypes)
                if let type = identifier.flatMap({ DynamicType($0) }) { _ = database.match(for: type) }
            }
        }
        #endif
    }
}
