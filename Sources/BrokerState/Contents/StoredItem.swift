import PasteboardWire
import TypeIdentifiers

/// One item of a publication.
struct StoredItem: Sendable {
    let suggestedName: String?
    /// nil for most items, whose source sets none of these values.
    let presentation: Presentation?
    /// Data for this user's programs on this machine.
    let teamData: [UInt8]?
    /// The types and supertypes of the representations, found when the item was written, so that a load looks them up.
    private(set) var types: Conformance.TypeIndex
    var representations: [StoredRepresentation]

    init(
        suggestedName: String?,
        presentation: Presentation?,
        teamData: [UInt8]?,
        types: Conformance.TypeIndex,
        representations: [StoredRepresentation] = []
    ) {
        self.suggestedName = suggestedName
        self.presentation = presentation
        self.teamData = teamData
        self.types = types
        self.representations = representations
    }

    /// Appends representations, whose types the item does not have yet.
    mutating func append(_ added: [StoredRepresentation]) {
        representations += added
        for representation in added { types.append(representation.type, closure: representation.supertypes) }
    }

    /// The item's preferred size, style and title. The broker only passes them on.
    final class Presentation: Sendable {
        let width: UInt64?
        let height: UInt64?
        let style: PresentationStyle?
        let title: String?

        init?(_ item: Item) {
            guard
                item.presentationWidth != nil || item.presentationHeight != nil || item.presentationStyle != nil
                    || item.title != nil
            else { return nil }
            width = item.presentationWidth
            height = item.presentationHeight
            style = item.presentationStyle
            title = item.title?.withoutControls
        }
    }
}

/// One representation of an item.
struct StoredRepresentation: Sendable {
    // There are many of these: the order and the types of the fields leave little padding.
    let type: String
    let supertypes: [String]
    let visibility: Visibility
    /// Whether the source is asked once, and the broker keeps the bytes.
    let isKeptOnce: Bool
    /// Whether the source lets others open its own file.
    private(set) var isOpenInPlace: Bool
    /// The time that the source may take for the first byte; 0 if it has set none.
    let firstByteMilliseconds: UInt32
    private(set) var byteCount: UInt64?
    /// The parts of `typeRange`, which take little memory.
    private(set) var typeLength: UInt16 = 0
    private(set) var typeStart: UInt32 = 0
    /// The attributes of the file; nil for most representations, which are not files.
    let file: File?
    /// The broker's own bytes; nil for a promise.
    var kept: KeptID?
    /// The bytes of its cached load, which become the broker's own if the source sends all of them. After a hand-over
    /// they are only for the loads that had begun.
    var cached: KeptID?

    /// The range of the type in the publication's `typeNames`. The publication sets it.
    var typeRange: Range<Int> {
        @inline(__always) get { Int(typeStart)..<Int(typeStart) + Int(typeLength) }
        set { (typeStart, typeLength) = (UInt32(clamping: newValue.lowerBound), UInt16(clamping: newValue.count)) }
    }

    var allBytes: [KeptID] { [kept, cached].compactMap(\.self) }

    /// Replaces the promise by bytes from its source. They have another size than was announced, perhaps, and are in no
    /// file of the source.
    mutating func handOver(_ bytes: KeptID) {
        kept = bytes
        byteCount = nil
        isOpenInPlace = false
    }

    func firstByte(unlessSaid standard: UInt64) -> UInt64 {
        firstByteMilliseconds == 0 ? standard : UInt64(firstByteMilliseconds)
    }

    /// The attributes of a file, in a reference, so that a promise without them takes less memory.
    final class File: Sendable {
        let attributes: FileAttributes

        init(_ attributes: FileAttributes) {
            self.attributes = attributes
        }
    }
}
