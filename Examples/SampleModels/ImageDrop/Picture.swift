public import FoundationEssentials
public import PasteboardKit

/// An encoded image in the form in which it arrived. This program does not have to decode it.
public final class Picture: Sendable {
    /// The bytes of the image file.
    public let data: Data
    /// The type of the image file.
    public let type: UniformType

    /// Makes a picture.
    public init(_ data: Data, type: UniformType) {
        self.data = data
        self.type = type
    }

    /// One pixel, as a PNG.
    public static let pixel = Picture(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
        ) ?? Data(),
        type: .png
    )
}

extension Picture: CustomStringConvertible {
    /// The type and the number of bytes.
    public var description: String { "\(type.identifier) \(data.count)" }
}

extension Picture: ItemProviderWriting {
    /// The type before a picture exists: nothing more is known.
    public static let writableTypeIdentifiersForItemProvider = [UniformType.image.identifier]

    /// The type in which it was encoded.
    public var writableTypeIdentifiersForItemProvider: [String] { [type.identifier] }

    /// Returns the bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(data, nil)
        return nil
    }
}

extension Picture: ItemProviderReading {
    /// Any image.
    public static let readableTypeIdentifiersForItemProvider = [UniformType.image.identifier]

    /// Takes the bytes unchanged. Empty data is not an image.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard !data.isEmpty else { throw PasteboardError(.refused, message: "an image has bytes, and these are none") }
        return Self(data, type: UniformType(importedAs: typeIdentifier))
    }
}
