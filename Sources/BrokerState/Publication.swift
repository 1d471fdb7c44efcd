import PasteboardWire

package typealias PublicationID = SlotTable<Publication>.ID
package typealias KeptID = SlotTable<KeptBytes>.ID

/// One immutable set of contents: what a write made visible. Independent of the connection that wrote it; boards and
/// loads point to it, and it goes when neither does.
package struct Publication: Sendable {
    /// The writer's connection and the stream that is this publication's life; nil once the writer has gone.
    var owner: (peer: PeerID, stream: UInt64)?
    let ownerProcess: ProcessKey
    let ownerLabel: String
    let boardName: String
    var items: [StoredItem]
    let charge: Charge
    /// Whether a board holds it now.
    var isCurrent = true
    /// Loads that give its bytes now.
    var openLoads = 0

    var keptBytes: [KeptID] {
        self.items.flatMap { $0.representations.compactMap(\.kept) }
    }

    var hasPromises: Bool {
        self.items.contains { item in item.representations.contains { $0.kept == nil } }
    }

    var ownerName: String {
        self.ownerLabel.isEmpty
            ? "pid \(self.ownerProcess.pid)" : "\"\(self.ownerLabel)\" (pid \(self.ownerProcess.pid))"
    }
}

/// One item of a publication.
struct StoredItem: Sendable {
    let suggestedName: String?
    var representations: [StoredRepresentation]
}

/// One type that an item can be had as.
struct StoredRepresentation: Sendable, AcceptList.Candidate {
    let type: String
    let supertypes: [String]
    let visibility: UInt32
    let byteCount: UInt64?
    /// The broker's own bytes; nil for a promise.
    var kept: KeptID?

    /// Whether a process that did not write it may see it. `group` needs a token, which nobody has yet.
    func isVisible(to viewer: ProcessKey, owner: ProcessKey?) -> Bool {
        self.visibility < 2 || viewer == owner
    }
}

/// Bytes that the broker holds itself; where they are is the loop's business.
package struct KeptBytes: Sendable {
    package internal(set) var count: UInt64 = 0
    /// What was announced: more is an error, and the pool was asked for it before a byte came.
    var announced: UInt64?
    /// Bytes of the pool that it occupies.
    var charged: UInt64 = 0
}

/// A named pasteboard.
struct Board: Sendable {
    var changeCount: UInt64
    var publication: PublicationID?
}
