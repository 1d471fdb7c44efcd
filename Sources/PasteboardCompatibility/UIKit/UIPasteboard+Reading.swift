public import Foundation
public import PasteboardKit

// Questions, which load nothing.
extension UIPasteboard {
    /// The number of items.
    public var numberOfItems: Int {
        get async throws(PasteboardError) { try await pasteboard.contents().items.count }
    }

    /// The types of all items that can be loaded, each once, in the order of the items.
    public var types: [String] {
        get async throws(PasteboardError) { try await pasteboard.types.map(\.identifier) }
    }

    /// The item providers of the items.
    public var itemProviders: [ItemProvider] {
        get async throws(PasteboardError) { try await pasteboard.contents().items.map(\.itemProvider) }
    }

    /// Whether an item can be loaded as text.
    public var hasStrings: Bool {
        get async throws(PasteboardError) { try await pasteboard.canLoad(String.self) }
    }

    /// Whether an item can be loaded as a URL.
    public var hasURLs: Bool {
        get async throws(PasteboardError) { try await pasteboard.canLoad(URL.self) }
    }

    /// Whether an item has an image.
    public var hasImages: Bool {
        get async throws(PasteboardError) { try await pasteboard.canLoad(UniformType.image) }
    }

    /// Whether an item can be loaded as one of these types.
    public func contains(pasteboardTypes: [String]) async throws(PasteboardError) -> Bool {
        let present = try await pasteboard.contents().types
        return pasteboardTypes.contains { type in present.contains { $0.conforms(to: UniformType(importedAs: type)) } }
    }
}

// Reads, which load, so the handlers of promises run. Promises of a source that has ended are left out.
extension UIPasteboard {
    /// The text of the first item that has text; nil if there is none.
    public var string: String? {
        get async throws(PasteboardError) { try await pasteboard.string }
    }

    /// The texts of all items that have text. It is never nil.
    public var strings: [String]? {
        get async throws(PasteboardError) { try await load(String.self) }
    }

    /// The URL of the first item that has one; nil if there is none.
    public var url: URL? {
        get async throws(PasteboardError) { try await load(URL.self, atMost: 1).first }
    }

    /// The URLs of all items that have one. It is never nil.
    public var urls: [URL]? {
        get async throws(PasteboardError) { try await load(URL.self) }
    }

    /// The image of the first item that has one; nil if there is none.
    public var image: UIImage? {
        get async throws(PasteboardError) { try await load(UIImage.self, atMost: 1).first }
    }

    /// The images of all items that have one. It is never nil.
    public var images: [UIImage]? {
        get async throws(PasteboardError) { try await load(UIImage.self) }
    }

    /// The items: for each type identifier a `String`, `URL` or ``UIImage``, or else `Data`.
    public var items: [[String: Any]] {
        get async throws(PasteboardError) { try await loadItems().map { $0.mapValues(Self.value) } }
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Throws: the error of the load.
    public func data(forPasteboardType pasteboardType: String) async throws(PasteboardError) -> Data? {
        try await pasteboard.loadData(for: UniformType(importedAs: pasteboardType))
    }

    /// Returns the value of a type of the first item that has it, as in ``items``.
    ///
    /// - Throws: the error of the load.
    public func value(forPasteboardType pasteboardType: String) async throws(PasteboardError) -> Any? {
        try await loadValue(pasteboardType).map(Self.value)
    }

    package func loadValue(_ pasteboardType: String) async throws(PasteboardError) -> Loaded<Data>? {
        let (type, call) = (UniformType(importedAs: pasteboardType), Call("the read of the pasteboard"))
        return try await pasteboard.read(for: call) { (contents) throws(PasteboardError) in
            for item in contents.items { if let loaded = try await item.data(of: type) { return loaded } }
            return nil
        }
    }

    /// Loads an object from each item that the class reads, or from the first ones. Bytes that describe none are left
    /// out.
    package func load<Object: ItemProviderReading & Sendable>(
        _ aClass: Object.Type,
        atMost count: Int = .max
    ) async throws(PasteboardError) -> [Object] {
        let types = aClass.readableTypes
        let call = Call("the read of the pasteboard")
        return try await pasteboard.read(for: call) { (contents) throws(PasteboardError) in
            var objects: [Object] = []
            for item in contents.items where objects.count < count {
                guard let type = types.first(where: { item.loadable($0) != nil }) else { continue }
                guard let loaded = try await item.data(of: type) else { continue }
                let identifier = loaded.type.identifier
                let object = try? aClass.object(withItemProviderData: loaded.value, typeIdentifier: identifier)
                if let object { objects.append(object) }
            }
            return objects
        }
    }

    /// Loads the items.
    ///
    /// - Parameters:
    ///   - types: the types that are loaded; nil: all.
    ///   - itemSet: the indices of the items; nil: all.
    package func loadItems(
        _ types: [String]? = nil,
        inItemSet itemSet: IndexSet? = nil
    ) async throws(PasteboardError) -> [[String: Loaded<Data>]] {
        try await pasteboard.read(for: Call("the read of the pasteboard")) { (contents) throws(PasteboardError) in
            var items: [[String: Loaded<Data>]] = []
            for item in contents.items where itemSet?.contains(item.id) ?? true {
                var values: [String: Loaded<Data>] = [:]
                for type in types ?? item.types.map(\.identifier) {
                    if let loaded = try await item.data(of: UniformType(importedAs: type)) { values[type] = loaded }
                }
                items.append(values)
            }
            return items
        }
    }

    /// The value of bytes.
    package static func value(_ loaded: Loaded<Data>) -> Any {
        func object(_ aClass: any ItemProviderReading.Type) -> Any? {
            guard aClass.readableTypes.contains(where: { loaded.type.conforms(to: $0) }) else { return nil }
            return try? aClass.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
        }
        if loaded.type == .text || loaded.type.conforms(to: .html), let text = try? loaded.text { return text }
        return object(String.self) ?? object(URL.self) ?? object(UIImage.self) ?? loaded.value
    }
}
