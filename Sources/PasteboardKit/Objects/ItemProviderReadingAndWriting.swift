public import FoundationEssentials

/// A value that can give its bytes as one of several types, as `NSItemProviderWriting`.
///
/// ``ItemProvider/registerObject(_:visibility:)`` promises all of its types at once. It is Sendable because it is asked
/// later, at each load, on threads of the library and perhaps by several loads at once.
///
///     struct Place: Codable, ItemProviderWriting {
///         static let writableTypeIdentifiersForItemProvider = ["org.example.place", "public.utf8-plain-text"]
///         var name: String
///
///         func loadData(
///             withTypeIdentifier typeIdentifier: String,
///             forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
///         ) -> LoadProgress? {
///             do {
///                 let isText = typeIdentifier == "public.utf8-plain-text"
///                 completionHandler(try isText ? Data(name.utf8) : JSONEncoder().encode(self), nil)
///             } catch {
///                 completionHandler(nil, error)
///             }
///             return nil
///         }
///     }
public protocol ItemProviderWriting: Sendable {
    /// The types that every value can be written as, best first.
    static var writableTypeIdentifiersForItemProvider: [String] { get }

    /// The types that this value can be written as, best first. It replaces the class's list where there is a value; the
    /// class's list unless implemented.
    var writableTypeIdentifiersForItemProvider: [String] { get }

    /// Who may see that there is such a representation, where no value exists yet; all unless implemented.
    static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility

    /// Who may see that there is such a representation of this value; what the class says unless implemented. The
    /// stricter of this and of what the registration says counts.
    func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility

    /// Makes the bytes.
    ///
    /// Called at each load, on a thread of the library that it may block.
    ///
    /// - Parameters:
    ///   - typeIdentifier: one of the writable types.
    ///   - completionHandler: called once, then or later, with the bytes or an error; of both the error counts, and of
    ///     several calls the first. The error reaches the destination by domain, code and text.
    /// - Returns: a progress, or nil. What is reported there reaches the destination and keeps a slow load alive, and it
    ///   is cancelled when nobody wants the bytes any more.
    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress?
}

extension ItemProviderWriting {
    /// The class's list.
    public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

    /// All may see it.
    public static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility {
        .all
    }

    /// What the class says.
    public func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility {
        Self.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
    }
}

/// A value that can be made of the bytes of one of several types, as `NSItemProviderReading`.
///
/// It need not be Sendable: what a load makes is handed over and not shared. The metatype is, because the value is made on
/// a thread of the library: a class on an actor conforms with `nonisolated` members.
public protocol ItemProviderReading: SendableMetatype {
    /// The types that a value can be made of, best first. A type stands for those that conform to it, too. Where an item
    /// has several of them, the order of its source decides.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Makes a value. Called on a thread of the library that it may block.
    ///
    /// - Parameters:
    ///   - data: the bytes, whole. Those of another process can be anything.
    ///   - typeIdentifier: the type that the bytes have: one of the readable types or one that conforms to one of them.
    /// - Throws: if the bytes are not what they should be; the load then throws this error as it is.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}
