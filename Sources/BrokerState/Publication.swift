import PasteboardWire
import TypeIdentifiers

package typealias PublicationID = SlotTable<Publication>.ID
package typealias KeptID = SlotTable<KeptBytes>.ID

/// One immutable set of contents: what a write made visible; of a drag session it may grow at its end. Independent of the
/// connection that wrote it; boards, sessions and loads point to it, and it goes when none does.
package struct Publication: Sendable {
    /// The writer's connection and the stream that is this publication's life; nil once the writer has gone.
    var owner: (peer: PeerID, stream: UInt64)?
    /// As what its writer saw and showed itself, which outlives the connection.
    let writer: Viewer
    let ownerLabel: String
    /// Empty for a drag session's.
    let boardName: String
    var items: [StoredItem]
    private(set) var charge: Charge
    /// Whether some of it is not for everybody.
    private(set) var isRestricted: Bool
    /// Whether a board or a drag session holds it now.
    var isCurrent = true
    /// The drag session that holds it.
    var session: SessionID?
    /// Loads that give its bytes now.
    var openLoads = 0

    var keptBytes: [KeptID] {
        self.items.flatMap { $0.representations.compactMap { $0.kept ?? $0.filling } }
    }

    init(
        owner: (peer: PeerID, stream: UInt64),
        writer: Viewer,
        ownerLabel: String,
        boardName: String,
        items: [StoredItem],
        charge: Charge
    ) {
        self.owner = owner
        self.writer = writer
        self.ownerLabel = ownerLabel
        self.boardName = boardName
        self.items = items
        self.charge = charge
        self.isRestricted = Self.isRestricted(items)
    }

    private static func isRestricted(_ items: [StoredItem]) -> Bool {
        items.contains { item in item.representations.contains { $0.visibility != .all } }
    }

    /// Adds items behind those that are there.
    mutating func append(_ items: [StoredItem], charge: Charge) {
        self.items += items
        self.charge.absorb(charge)
        self.isRestricted = self.isRestricted || Self.isRestricted(items)
    }

    /// For messages.
    var place: String { self.boardName.isEmpty ? "the session" : "pasteboard \(self.boardName)" }

    /// The places of the items that a viewer may see something of: for him there are no others, and he counts without
    /// them.
    func places(for viewer: Viewer) -> [Int] {
        self.items.indices.filter { index in
            self.items[index].representations.contains { viewer.sees($0.visibility, of: self.writer) }
        }
    }

    func visibleItems(to access: AccessContext) -> [Int] { places(for: access) }

    func visibleTypes(of item: Int, to access: AccessContext) -> [String] {
        items[item].representations.filter { access.sees($0.visibility, of: writer) }.map(\.type)
    }

    var ownerProcess: ProcessKey { self.writer.process }

    var ownerName: String {
        self.ownerLabel.isEmpty
            ? "pid \(self.ownerProcess.pid)" : "\"\(self.ownerLabel)\" (pid \(self.ownerProcess.pid))"
    }
}

/// One item of a publication.
struct StoredItem: Sendable {
    let suggestedName: String?
    /// nil where nothing is said of it, as mostly.
    let presentation: Presentation?
    /// For this user's programs on this machine.
    let teamData: [UInt8]?
    var representations: [StoredRepresentation] = []

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
            else {
                return nil
            }
            self.width = item.presentationWidth
            self.height = item.presentationHeight
            self.style = item.presentationStyle
            self.title = item.title?.printable
        }
    }
}

/// One type that an item can be had as.
struct StoredRepresentation: Sendable, AcceptList.Candidate {
    // In an order and in types that leave little room between them: there are many.
    let type: String
    let supertypes: [String]
    /// Walked when the item is written: a load costs no walk.
    let reach: Conformance.Reach
    let visibility: Visibility
    /// Whether its source is asked once, and what it gives is kept.
    let isKeptOnce: Bool
    /// Whether the source lets others open its own file.
    let isOpenInPlace: Bool
    /// How long its source may take for the first byte; 0 if it did not say so.
    let firstByteMilliseconds: UInt32
    let byteCount: UInt64?
    /// The attributes of the file that it is; nil where it is none, as mostly.
    let file: File?
    /// The broker's own bytes; nil for a promise.
    var kept: KeptID?
    /// Bytes that will be the broker's own if their source goes on to the end.
    var filling: KeptID?

    func firstByte(unlessSaid standard: UInt64) -> UInt64 {
        self.firstByteMilliseconds == 0 ? standard : UInt64(self.firstByteMilliseconds)
    }

    /// The attributes of a file, in a reference: a promise without them has no room for them.
    final class File: Sendable {
        let attributes: FileAttributes

        init(_ attributes: FileAttributes) {
            self.attributes = attributes
        }
    }
}

/// Bytes that the broker holds itself; where they are is the loop's business.
package struct KeptBytes: Sendable {
    /// Whose they are, also when their writer has gone.
    let account: Accounting.AccountID
    package internal(set) var count: UInt64 = 0
    /// What was announced: more is an error, and the pool was asked for it before a byte came.
    var announced: UInt64?
    /// Bytes of the pool that it occupies.
    var charged: UInt64 = 0
    /// What their source said about them.
    var content: ContentForm?
    var fileName: String?
    /// While their source is being asked for them.
    var fill: Fill?

    /// Whether no more will come.
    var isWhole: Bool { self.fill == nil }
    /// As far as it is known.
    var size: UInt64? { self.isWhole ? self.count : self.announced }
}

/// A named pasteboard.
struct Board: Sendable {
    var changeCount: UInt64
    var publication: PublicationID?
}
