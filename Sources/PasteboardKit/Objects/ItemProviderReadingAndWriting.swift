public import FoundationEssentials

/// A value that can write its bytes as one of several types, like `NSItemProviderWriting`.
///
/// ``ItemProvider/registerObject(_:visibility:)`` promises all of its types. The value has to be Sendable because it is
/// called later, at each load, on threads of the library and perhaps by several loads at once.
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

    /// The types that this value can be written as, best first. For an object they replace the class's list. The
    /// default is the class's list.
    var writableTypeIdentifiersForItemProvider: [String] { get }

    /// The processes that may see the representation before an object exists. The default is
    /// ``ItemProviderRepresentationVisibility/all``.
    static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility

    /// The processes that may see the representation of this value. The default is the class's visibility. The stricter
    /// of this and the visibility of the registration applies.
    func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility

    /// Makes the bytes.
    ///
    /// It is called at each load, on a thread of the library that it may block.
    ///
    /// - Parameters:
    ///   - typeIdentifier: one of the writable types.
    ///   - completionHandler: has to be called once, before or after this method returns, with the bytes or an error.
    ///     If both are passed, the error counts; only the first call counts. The domain, code and text of the error
    ///     reach the destination.
    /// - Returns: a progress, or nil. Reports to the progress are passed on to the destination and keep a slow load
    ///   alive. It is cancelled when the bytes are no longer needed.
    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress?
}

extension ItemProviderWriting {
    /// The class's list.
    public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

    /// All processes may see the representation.
    public static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility {
        .all
    }

    /// The class's visibility.
    public func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility {
        Self.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
    }
}

/// A value that can be made from the bytes of one of several types, like `NSItemProviderReading`.
///
/// It need not be Sendable, because a load transfers the value to its caller. Its metatype is Sendable, because the
/// value is made on a thread of the library: a class on an actor conforms with `nonisolated` members.
public protocol ItemProviderReading: SendableMetatype {
    /// The types that a value can be made from, best first. A type includes all types that conform to it. If an item
    /// has several of them, the order of its source decides.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Makes a value. It is called on a thread of the library that it may block.
    ///
    /// - Parameters:
    ///   - data: all bytes of the representation. Bytes from another process can be anything.
    ///   - typeIdentifier: the type of the bytes: one of the readable types, or a type that conforms to one of them.
    /// - Throws: an error if the bytes are not valid; the load then throws it unchanged.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}
