public import FoundationEssentials

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
