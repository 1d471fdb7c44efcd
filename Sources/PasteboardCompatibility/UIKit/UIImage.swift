public import Foundation
public import PasteboardKit

/// The name of ``UIImage`` in AppKit.
public typealias NSImage = UIImage

/// An image as its encoded bytes. It is neither decoded nor drawn nor converted to another format.
public final class UIImage: Sendable {
    private static let signatures: [(type: UniformType, offset: Int, bytes: [UInt8])] = [
        (.png, 0, [0x89] + "PNG\r\n".utf8), (.jpeg, 0, [0xFF, 0xD8, 0xFF]), (.gif, 0, Array("GIF8".utf8)),
        (.tiff, 0, Array("II*\0".utf8)), (.tiff, 0, Array("MM\0*".utf8)), (.webP, 8, Array("WEBP".utf8)),
        (.heic, 4, Array("ftypheic".utf8)), (.bmp, 0, Array("BM".utf8)),
    ]

    private let data: Data
    private let type: UniformType

    /// Makes an image from the bytes of a file; nil if they begin like no known format.
    public init?(data: Data) {
        let type = Self.signatures.first { data.dropFirst($0.offset).starts(with: $0.bytes) }?.type
        guard let type else { return nil }
        (self.data, self.type) = (data, type)
    }

    private func data(_ type: UniformType) -> Data? { self.type == type ? data : nil }

    /// Returns the bytes if they are in PNG; otherwise nil.
    public func pngData() -> Data? { data(.png) }

    /// Returns the bytes if they are in JPEG, whatever the quality; otherwise nil.
    public func jpegData(compressionQuality: CGFloat) -> Data? { data(.jpeg) }

    /// The bytes if they are in TIFF; otherwise nil.
    public var tiffRepresentation: Data? { data(.tiff) }
}

extension UIImage: ItemProviderWriting, ItemProviderReading {
    /// The known formats.
    public static var writableTypeIdentifiersForItemProvider: [String] {
        [UniformType.png, .tiff, .jpeg, .gif, .webP, .heic, .bmp].map(\.identifier)
    }

    /// The format of the bytes.
    public var writableTypeIdentifiersForItemProvider: [String] { [type.identifier] }

    /// `public.image`.
    public static var readableTypeIdentifiersForItemProvider: [String] { [UniformType.image.identifier] }

    /// Provides the bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(data, nil)
        return nil
    }

    /// Makes an image from bytes.
    ///
    /// - Throws: a `PasteboardError` of code `source-failed` if they begin like no known format.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> UIImage {
        guard let image = UIImage(data: data) else {
            throw PasteboardError(.sourceFailed, message: "the bytes of \(typeIdentifier) are in no known image format")
        }
        return image
    }
}

extension UIImage: NSPasteboardWriting, NSPasteboardReading {
    /// The format of the bytes.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.init(type)] }

    /// Returns the bytes.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { data }

    /// `public.image`.
    public static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.init(.image)] }

    /// Makes an image from bytes.
    public convenience init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        guard let data = propertyList as? Data else { return nil }
        self.init(data: data)
    }
}
