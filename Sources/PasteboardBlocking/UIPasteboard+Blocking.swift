public import Foundation
public import PasteboardCompatibility
public import PasteboardKit

// The members of the same names in PasteboardCompatibility, for code that cannot wait asynchronously: the current
// thread waits. Where those throw an error, these return nil, false, 0 or nothing.
extension UIPasteboard {
    private func wait<Value: Sendable>(_ body: @escaping @Sendable (UIPasteboard) async throws -> Value) -> Value? {
        BlockingCall.value { try await body(self) }
    }

    private func load<Value: Sendable>(_ body: @escaping @Sendable (UIPasteboard) async throws -> Value?) -> Value? {
        BlockingCall.value(loadingFrom: pasteboard) { try await body(self) } ?? nil
    }

    /// Makes an empty pasteboard with a name that no other pasteboard has; if that fails, one that takes no contents.
    public static func withUniqueName() -> UIPasteboard {
        BlockingCall.value { try await UIPasteboard.withUniqueName() }
            ?? UIPasteboard(Pasteboard(name: Name("")))
    }

    /// Clears a pasteboard and removes it.
    public static func remove(withName name: Name) {
        _ = BlockingCall.value { try await UIPasteboard.remove(withName: name) }
    }

    // MARK: Questions

    /// The number of the contents; 0 if the broker cannot be reached.
    public var changeCount: Int { wait { try await $0.count() } ?? 0 }

    /// The number of items.
    public var numberOfItems: Int { wait { try await $0.pasteboard.contents().items.count } ?? 0 }

    /// The types of all items that can be loaded, each once, in the order of the items.
    public var types: [String] { wait { try await $0.pasteboard.types.map(\.identifier) } ?? [] }

    /// Whether an item can be loaded as text.
    public var hasStrings: Bool { wait { try await $0.pasteboard.canLoad(String.self) } ?? false }

    /// Whether an item can be loaded as a URL.
    public var hasURLs: Bool { wait { try await $0.pasteboard.canLoad(URL.self) } ?? false }

    /// Whether an item has an image.
    public var hasImages: Bool { contains(pasteboardTypes: [UniformType.image.identifier]) }

    /// Whether an item can be loaded as one of these types.
    public func contains(pasteboardTypes: [String]) -> Bool {
        wait { try await $0.contains(pasteboardTypes: pasteboardTypes) } ?? false
    }

    /// Whether each item of a set has one of these types.
    public func contains(pasteboardTypes: [String], inItemSet itemSet: IndexSet?) -> Bool {
        wait { try await $0.contains(pasteboardTypes: pasteboardTypes, inItemSet: itemSet) } ?? false
    }

    /// Returns the types of each item of a set.
    public func types(forItemSet itemSet: IndexSet?) -> [[String]]? {
        wait { try await $0.types(forItemSet: itemSet) } ?? nil
    }

    /// Returns the indices of the items that have one of these types; nil if there is none.
    public func itemSet(withPasteboardTypes pasteboardTypes: [String]) -> IndexSet? {
        wait { try await $0.itemSet(withPasteboardTypes: pasteboardTypes) } ?? nil
    }

    // MARK: Values

    private func replace<Object: ItemProviderWriting>(_ objects: [Object]?) {
        setObjects(objects ?? [])
    }

    /// The text of the first item that has text. Setting it replaces the contents; nil clears the pasteboard.
    public var string: String? {
        get { load { try await $0.pasteboard.string } }
        set { replace(newValue.map { [$0] }) }
    }

    /// The texts of all items that have text. Setting them replaces the contents.
    public var strings: [String]? {
        get { load { try await $0.load(String.self) } }
        set { replace(newValue) }
    }

    /// The URL of the first item that has one. Setting it replaces the contents; nil clears the pasteboard.
    public var url: URL? {
        get { load { try await $0.load(URL.self, atMost: 1) }?.first }
        set { replace(newValue.map { [$0] }) }
    }

    /// The URLs of all items that have one. Setting them replaces the contents.
    public var urls: [URL]? {
        get { load { try await $0.load(URL.self) } }
        set { replace(newValue) }
    }

    /// The image of the first item that has one. Setting it replaces the contents; nil clears the pasteboard.
    public var image: UIImage? {
        get { load { try await $0.load(UIImage.self, atMost: 1) }?.first }
        set { replace(newValue.map { [$0] }) }
    }

    /// The images of all items that have one. Setting them replaces the contents.
    public var images: [UIImage]? {
        get { load { try await $0.load(UIImage.self) } }
        set { replace(newValue) }
    }

    /// The items: for each type identifier a value. Setting them replaces the contents.
    public var items: [[String: Any]] {
        get {
            let items = load { try await $0.loadItems() }
            return items?.map { $0.mapValues(UIPasteboard.value) } ?? []
        }
        set { setItems(newValue) }
    }

    /// The item providers of the items. Setting them replaces the contents with promises, which end with the program.
    public var itemProviders: [ItemProvider] {
        get {
            wait { try await $0.pasteboard.contents() }?.items.map(
                \.itemProvider
            ) ?? []
        }
        set { setItemProviders(newValue, localOnly: false, expirationDate: nil) }
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    public func data(forPasteboardType pasteboardType: String) -> Data? {
        load { try await $0.data(forPasteboardType: pasteboardType) }
    }

    /// Returns the bytes of a type of each item of a set that has it.
    public func data(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Data]? {
        load { try await $0.data(forPasteboardType: pasteboardType, inItemSet: itemSet) }
    }

    /// Returns the value of a type of the first item that has it.
    public func value(forPasteboardType pasteboardType: String) -> Any? {
        load { try await $0.loadValue(pasteboardType) }.map(UIPasteboard.value)
    }

    /// Returns the value of a type of each item of a set that has it.
    public func values(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Any]? {
        let items = load { try await $0.loadItems([pasteboardType], inItemSet: itemSet) }
        return items?.flatMap { $0.values.map(UIPasteboard.value) }
    }

    // MARK: Writing

    /// Replaces the contents with items.
    public func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {
        let (providers, terms) = (UIPasteboard.written(items), Terms(options))
        _ = wait { try await $0.write(providers.get(), keeps: .everything, terms) }
    }

    /// Adds items after the others, which are loaded and kept.
    public func addItems(_ items: [[String: Any]]) {
        let providers = UIPasteboard.written(items)
        _ = load { try await $0.add(providers.get()) }
    }

    private static func written(_ items: [[String: Any]]) -> Result<[ItemProvider], PasteboardError> {
        Result { () throws(PasteboardError) in try providers(of: items) }
    }

    /// Replaces the contents with one item of one type.
    public func setData(_ data: Data, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: data]])
    }

    /// Replaces the contents with one item of one type.
    public func setValue(_ value: Any, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: value]])
    }

    /// Replaces the contents with objects, each of which becomes an item.
    public func setObjects(
        _ objects: [any ItemProviderWriting],
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) {
        // The objects are asked for their types here, on the thread of the caller.
        let (providers, terms) = (objects.map { ItemProvider(object: $0) }, Terms(localOnly, expirationDate))
        _ = wait { try await $0.write(providers, keeps: .everything, terms) }
    }

    /// Replaces the contents with strings.
    public func setObjects(_ objects: [NSString], localOnly: Bool = false, expirationDate: Date? = nil) {
        setObjects(objects.map { "\($0)" }, localOnly: localOnly, expirationDate: expirationDate)
    }

    /// Replaces the contents with URLs.
    public func setObjects(_ objects: [NSURL], localOnly: Bool = false, expirationDate: Date? = nil) {
        setObjects(objects.map { $0 as URL }, localOnly: localOnly, expirationDate: expirationDate)
    }

    /// Replaces the contents with promises, which end with the program.
    public func setItemProviders(_ itemProviders: [ItemProvider], localOnly: Bool, expirationDate: Date?) {
        _ = wait { try await $0.setItemProviders(itemProviders, localOnly: localOnly, expirationDate: expirationDate) }
    }
}

extension UIImage {
    /// Makes an image from the first item of a pasteboard that has one; nil if there is none.
    public convenience init?(pasteboard: NSPasteboard) {
        guard let data = pasteboard.data(forType: .init(.image)) else { return nil }
        self.init(data: data)
    }
}
