public import Foundation
public import PasteboardKit

extension NSString: ItemProviderReading {
    /// As `String`.
    public static var readableTypeIdentifiersForItemProvider: [String] { String.readableTypeIdentifiersForItemProvider }

    /// Makes a string from text, as `String` does.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        self.init(string: try String.object(withItemProviderData: data, typeIdentifier: typeIdentifier))
    }
}

extension NSString: NSPasteboardWriting {
    /// `public.utf8-plain-text`.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.string] }

    /// Returns the text.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { String(describing: self) }
}

// An `NSString` can be mutable, so its present value is written.
extension ItemProvider {
    /// Makes a provider from a string, as from a `String`.
    public convenience init(object: NSString) {
        self.init(object: String(describing: object))
    }

    /// Promises the item as a string, as from a `String`.
    public func registerObject(_ object: NSString, visibility: ItemProviderRepresentationVisibility) {
        registerObject(String(describing: object), visibility: visibility)
    }

    /// Promises the item as a string, which is made at a load, as with `String`.
    public func registerObject(
        ofClass aClass: NSString.Type,
        visibility: ItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (_ completionHandler: @escaping @Sendable (NSString?, (any Error)?) -> Void)
            -> LoadProgress?
    ) {
        registerObject(ofClass: String.self, visibility: visibility) { completion in
            loadHandler { completion($0.map { String(describing: $0) }, $1) }
        }
    }
}

extension UIPasteboard {
    /// Replaces the contents with strings, as with values of `String`.
    public func setObjects(
        _ objects: [NSString],
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) async throws(PasteboardError) {
        try await setObjects(objects.map { "\($0)" }, localOnly: localOnly, expirationDate: expirationDate)
    }
}
