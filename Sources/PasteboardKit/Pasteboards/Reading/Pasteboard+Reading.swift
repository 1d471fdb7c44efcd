public import FoundationEssentials

// Reads in the shape of NSPasteboard and UIPasteboard. They load, so the handlers of promises run. Promises of a source
// that has ended are left out. If the contents are replaced during a read, it reads the new ones. A read that finds no
// pause between the writes fails with `superseded` after 30 s, or with `timeout` after its timeout.
extension Pasteboard {
    /// The text of the first item that has text; nil if there is none. `string(forType:)` joins the text of all items.
    public var string: String? {
        get async throws(PasteboardError) {
            try await firstData(for: String.readableTypes, for: Call("the read of the text"))?.decoded
        }
    }

    /// The texts of all items that have text.
    public var strings: [String] {
        get async throws(PasteboardError) {
            try await read(for: Call("the read of the texts")) { (contents) throws(PasteboardError) in
                var strings: [String] = []
                for provider in contents.loadableProviders where provider.canLoadObject(ofClass: String.self) {
                    strings.append(
                        try await provider.loadData(readBy: String.self, timeout: nil, progress: nil).decoded
                    )
                }
                return strings
            }
        }
    }

    /// Returns the text of a type: that of all items that have the type, joined by newlines, as NSPasteboard does.
    ///
    /// - Parameters:
    ///   - type: the type; a type that conforms to it is accepted, too.
    ///   - timeout: the maximum duration of the call, which includes connecting.
    ///   - maximumByteCount: the largest number of bytes of an item that is accepted; nil: a quarter of the memory.
    ///   - isAutomatic: whether no person asked for the text, as in a history.
    /// - Returns: the text; nil if no item has the type.
    /// - Throws: the error of a load, or `source-failed` if the bytes are not text.
    public func string(
        forType type: UniformType,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false
    ) async throws(PasteboardError) -> String? {
        let call = Call("the read of the text", timeout: timeout)
        return try await read(for: call) { (contents) throws(PasteboardError) in
            var texts: [String] = []
            for provider in contents.loadableProviders where provider.representations.best(for: type) != nil {
                do throws(PasteboardError) {
                    let loaded = try await provider.loadData(
                        for: type,
                        timeout: call.deadline?.left,
                        maximumByteCount: maximumByteCount,
                        isAutomatic: isAutomatic
                    )
                    texts.append(try loaded.decoded)
                } catch {
                    throw call.error(ofLoad: error)
                }
            }
            return texts.isEmpty ? nil : texts.joined(separator: "\n")
        }
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Parameters:
    ///   - type: the type; a type that conforms to it is accepted, too.
    ///   - timeout: the maximum duration of the call, which includes connecting.
    ///   - maximumByteCount: the largest number of bytes that is accepted; nil: a quarter of the memory.
    ///   - isAutomatic: whether no person asked for the bytes, as in a history.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: the error of the load.
    public func data(
        forType type: UniformType,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Data? {
        try await firstData(
            for: [type],
            preferring: .reader,
            LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic),
            progress: progress,
            for: Call("the load", timeout: timeout)
        )?.value
    }

    /// Options of ``readObjects(forClasses:options:timeout:maximumByteCount:isAutomatic:)``.
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

    /// Reads an object from each item, of the first of the classes that can read the item, as NSPasteboard does. Items
    /// that no class can read are left out.
    ///
    /// - Parameters:
    ///   - classes: the classes, best first.
    ///   - options: rules for URLs.
    ///   - timeout: the maximum duration of the call, which includes connecting.
    ///   - maximumByteCount: the largest number of bytes of an item that is accepted; nil: a quarter of the memory.
    ///   - isAutomatic: whether no person asked for the objects, as in a history.
    /// - Throws: the error of a load, or the error of a class for the bytes.
    public func readObjects(
        forClasses classes: [any ItemProviderReading.Type],
        options: [ReadingOptionKey: Any]? = nil,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false
    ) async throws -> sending [any ItemProviderReading] {
        let rules = ReadingRules(options)
        let bounds = LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic)
        let call = Call("the read of the objects", timeout: timeout)
        // The error of a class for the bytes is a result, after which the read does not begin again.
        let objects = try await read(for: call) { (contents) throws(PasteboardError) in
            try await Self.objects(classes, of: contents, rules, bounds, for: call)
        }
        return try objects.get()
    }

    private static func objects(
        _ classes: [any ItemProviderReading.Type],
        of contents: Contents,
        _ rules: ReadingRules,
        _ bounds: LoadBounds,
        for call: Call
    ) async throws(PasteboardError) -> sending Result<[any ItemProviderReading], any Error> {
        var objects: [any ItemProviderReading] = []
        for provider in contents.loadableProviders {
            for aClass in classes where rules.accept(aClass, from: provider) {
                let object: any ItemProviderReading
                do {
                    object = try await load(aClass, from: provider, bounds, for: call)
                } catch let error as PasteboardError {
                    throw call.error(ofLoad: error)
                } catch {
                    return .failure(error)
                }
                // A URL that does not fit leaves the item to the next class.
                if let url = object as? URL, !rules.accept(url) { continue }
                objects.append(object)
                break
            }
        }
        return .success(objects)
    }

    private static func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        from provider: ItemProvider,
        _ bounds: LoadBounds,
        for call: Call
    ) async throws -> sending any ItemProviderReading {
        try await provider.loadObject(
            ofClass: aClass,
            timeout: call.deadline?.left,
            maximumByteCount: bounds.maximumByteCount,
            isAutomatic: bounds.isAutomatic
        )
    }
}

extension ItemProviderReading {
    /// The types of which objects of the class are made.
    static var readableTypes: [UniformType] {
        readableTypeIdentifiersForItemProvider.map { UniformType(importedAs: $0) }
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
