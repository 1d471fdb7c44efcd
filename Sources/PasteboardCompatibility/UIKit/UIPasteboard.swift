import Foundation
public import PasteboardKit

/// A pasteboard in the shape of UIKit's. Each call waits for the broker, and each write changes the contents once.
public final class UIPasteboard: Sendable {
    /// The name of a pasteboard.
    public typealias Name = Pasteboard.Name

    /// The pasteboard in the shape of this package.
    public let pasteboard: Pasteboard

    /// The pasteboard for copy and paste.
    public static let general = UIPasteboard(.general)

    /// A type that stands for all types of a value that is written.
    public static let typeAutomatic = "com.apple.uikit.type-automatic"
    /// The types of `string`.
    public static let typeListString = String.readableTypeIdentifiersForItemProvider
    /// The types of `url`.
    public static let typeListURL = URL.readableTypeIdentifiersForItemProvider
    /// The types of `image`.
    public static let typeListImage = UIImage.writableTypeIdentifiersForItemProvider

    /// Makes the shape of UIKit for a pasteboard.
    public init(_ pasteboard: Pasteboard) {
        self.pasteboard = pasteboard
    }

    /// Names a pasteboard. The value is never nil.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - create: makes no difference: a pasteboard exists as soon as a program writes to it.
    public convenience init?(name: Name, create: Bool) {
        self.init(Pasteboard(name: name))
    }

    /// Makes an empty pasteboard with a name that no other pasteboard has. It ends with this process.
    ///
    /// - Throws: as `Pasteboard.unique`.
    public static func withUniqueName() async throws(PasteboardError) -> UIPasteboard {
        UIPasteboard(try await Pasteboard.unique())
    }

    /// Clears a pasteboard and removes it.
    ///
    /// - Throws: `not-permitted` for a pasteboard that every user has; otherwise as `Pasteboard.release`.
    public static func remove(withName name: Name) async throws(PasteboardError) {
        try await Pasteboard(name: name).release()
    }

    /// The name.
    public var name: Name { pasteboard.name }

    /// The change count, which grows with each write and clear.
    public var changeCount: Int {
        get async throws(PasteboardError) { try await count() }
    }

    package func count() async throws(PasteboardError) -> Int { try await pasteboard.changeCount.number }
}
