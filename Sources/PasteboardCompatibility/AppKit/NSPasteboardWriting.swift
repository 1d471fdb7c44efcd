import Foundation

/// An object that ``NSPasteboard/writeObjects(_:)`` writes.
public protocol NSPasteboardWriting {
    /// The types that the object writes, best first.
    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// Returns the value of a type: `Data`, a text or another property list; nil leaves out the type.
    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any?
    /// Options for a type; none by default. They have no effect: objects write all types at once.
    func writingOptions(
        forType type: NSPasteboard.PasteboardType,
        pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions
}

extension NSPasteboardWriting {
    /// Returns no options.
    public func writingOptions(
        forType type: NSPasteboard.PasteboardType,
        pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }
}

/// An object that ``NSPasteboard/readObjects(forClasses:options:)`` reads.
public protocol NSPasteboardReading: AnyObject {
    /// The types that the class reads, best first.
    static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// The form in which ``init(pasteboardPropertyList:ofType:)`` gets the bytes of a type; `Data` by default.
    static func readingOptions(
        forType type: NSPasteboard.PasteboardType,
        pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions
    /// Makes an object, or nil if the value describes none.
    init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType)
}

extension NSPasteboardReading {
    /// Returns `asData`.
    public static func readingOptions(
        forType type: NSPasteboard.PasteboardType,
        pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asData }
}

extension NSPasteboard {
    /// Options of a type that an object writes.
    public struct WritingOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Makes options of bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The value may be asked for later.
        public static let promised = WritingOptions(rawValue: 1 << 9)
    }

    /// The form in which a class gets the bytes of a type.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Makes options of bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The bytes.
        public static let asData: ReadingOptions = []
        /// A text.
        public static let asString = ReadingOptions(rawValue: 1)
        /// A property list.
        public static let asPropertyList = ReadingOptions(rawValue: 2)
    }
}

/// Values that are on a pasteboard as bytes: data, texts and other property lists.
package enum PropertyList {
    /// The bytes of a value; nil if it is no property list.
    package static func data(of value: Any?) -> Data? {
        switch value {
        case nil: nil
        case let data as Data: data
        case let text as String: Data(text.utf8)
        case let value?: try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        }
    }

    /// The value of bytes; nil if they are neither a property list nor text.
    package static func value(of data: Data) -> Any? {
        (try? PropertyListSerialization.propertyList(from: data, format: nil)) ?? String(bytes: data, encoding: .utf8)
    }
}
