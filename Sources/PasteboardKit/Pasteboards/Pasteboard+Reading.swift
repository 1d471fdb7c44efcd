public import FoundationEssentials

// Reads in the shape of NSPasteboard and UIPasteboard. They load, so the handlers of promises run. Promises of a source
// that has ended are left out.
extension Pasteboard {
    /// The text of the first item that has text; nil if there is none. `string(forType:)` joins the text of all items.
    public var string: String? {
        get async throws(PasteboardError) {
            try await strings(
                of: try await contents().loadableProviders.filter { $0.canLoadObject(ofClass: String.self) }.prefix(1)
            ).first
        }
    }

    /// The texts of all items that have text.
    public var strings: [String] {
        get async throws(PasteboardError) {
            try await strings(
                of: try await contents().loadableProviders.filter { $0.canLoadObject(ofClass: String.self) }[...]
            )
        }
    }

    /// Returns the text of a type: that of all items that have the type, joined by newlines, as NSPasteboard does.
    ///
    /// - Returns: the text; nil if no item has the type.
    /// - Throws: the error of a load, or `source-failed` if the bytes are not text.
    public func string(forType type: UniformType) async throws(PasteboardError) -> String? {
        let loaded = try await data(forType: type, of: try await contents().loadableProviders)
        guard !loaded.isEmpty else { return nil }
        var texts: [String] = []
        for text in loaded { texts.append(try text.decoded) }
        return texts.joined(separator: "\n")
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Throws: the error of the load.
    public func data(forType type: UniformType) async throws(PasteboardError) -> Data? {
        let provider = try await contents().loadableProviders.first { $0.representations.best(for: type) != nil }
        return try await provider?.loadData(for: type).value
    }

    /// Options of ``readObjects(forClasses:options:)``.
    public struct ReadingOptionKey: Hashable, Sendable {
        private let name: String

        /// A `Bool`: whether only file URLs are read as URLs.
        public static let urlReadingFileURLsOnly = ReadingOptionKey(name: "urlReadingFileURLsOnly")
        /// A `[String]`: the types of files that are read as URLs. The extension of a file determines its type.
        public static let urlReadingContentsConformToTypes = ReadingOptionKey(name: "urlReadingContentsConformToTypes")
    }

    /// Whether an item has a type that one of the classes reads. Nothing is loaded, so the types of the files that URLs
    /// refer to are not considered.
    ///
    /// - Throws: as ``contents(timeout:)``.
    public func canReadObject(
        forClasses classes: [any ItemProviderReading.Type],
        options: [ReadingOptionKey: Any]? = nil
    ) async throws(PasteboardError) -> Bool {
        let rules = ReadingRules(options)
        return try await contents().loadableProviders.contains { provider in
            classes.contains { rules.accept($0, from: provider) }
        }
    }

    /// Reads an object from each item, of the first of the classes that can read the item, as NSPasteboard does. Items that
    /// no class can read are left out.
    ///
    /// - Parameters:
    ///   - classes: the classes, best first.
    ///   - options: rules for URLs.
    /// - Throws: the error of a load, or the error of a class for the bytes.
    public func readObjects(
        forClasses classes: [any ItemProviderReading.Type],
        options: [ReadingOptionKey: Any]? = nil
    ) async throws -> sending [any ItemProviderReading] {
        let rules = ReadingRules(options)
        var objects: [any ItemProviderReading] = []
        for provider in try await contents().loadableProviders {
            for aClass in classes where rules.accept(aClass, from: provider) {
                let object = try await Self.load(aClass, from: provider)
                // A URL that does not fit leaves the item to the next class.
                if let url = object as? URL, !rules.accept(url) { continue }
                objects.append(object)
                break
            }
        }
        return objects
    }

    private static func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        from provider: ItemProvider
    ) async throws -> sending any ItemProviderReading {
        try await provider.loadObject(ofClass: aClass)
    }

    private func strings(of providers: ArraySlice<ItemProvider>) async throws(PasteboardError) -> [String] {
        var strings: [String] = []
        for provider in providers {
            strings.append(try await provider.loadData(readBy: String.self, timeout: nil, progress: nil).decoded)
        }
        return strings
    }

    private func data(
        forType type: UniformType,
        of providers: [ItemProvider]
    ) async throws(PasteboardError) -> [Loaded<Data>] {
        var loaded: [Loaded<Data>] = []
        for provider in providers where provider.representations.best(for: type) != nil {
            loaded.append(try await provider.loadData(for: type))
        }
        return loaded
    }
}

extension Loaded<Data> {
    /// The bytes as text.
    var decoded: String {
        get throws(PasteboardError) { try value.text(as: TextEncoding(of: type, value), type: type) }
    }
}

/// The rules for the URLs that are read.
private struct ReadingRules {
    private let filesOnly: Bool
    private let contentTypes: [UniformType]?

    init(_ options: [Pasteboard.ReadingOptionKey: Any]?) {
        let types = options?[.urlReadingContentsConformToTypes] as? [String]
        contentTypes = types.map { $0.map { UniformType(importedAs: $0) } }
        filesOnly = options?[.urlReadingFileURLsOnly] as? Bool ?? (types != nil)
    }

    func accept(_ aClass: any ItemProviderReading.Type, from provider: ItemProvider) -> Bool {
        guard provider.canLoadObject(ofClass: aClass) else { return false }
        guard filesOnly, aClass is URL.Type else { return true }
        return provider.representations.contains { $0.type.conforms(to: .fileURL) }
    }

    func accept(_ url: URL) -> Bool {
        if filesOnly, !url.isFileURL { return false }
        guard let contentTypes else { return true }
        guard let type = UniformType(filenameExtension: url.pathExtension) else { return false }
        return contentTypes.contains { type.conforms(to: $0) }
    }
}
