package import PasteboardWire

/// The fields that are messages themselves, which are compared field by field.
package enum NestedMessages {
    /// The message of each field, by the message that contains it, as in `pasteboard.proto`.
    package static let fields: [String: [UInt32: String]] = [
        "WriteRequest": [4: "ContentTerms"],
        "Item": [2: "Representation"],
        "Representation": [9: "FileAttributes"],
        "LoadRequest": [5: "Accept", 10: "TypeEdges"],
        "DestinationRequest": [2: "Accept"],
        "PointerUpdate": [1: "Location"],
        "Performed": [2: "Failure"],
        "Conclude": [2: "Failure"],
        "Contents": [7: "ContentTerms"],
        "Change": [8: "ContentTerms"],
        "StatusEntry": [
            1: "PeerStatus", 2: "BoardStatus", 3: "LoadStatus", 4: "NamedNumber", 5: "NamedNumber", 6: "SessionStatus",
            7: "DestinationStatus", 8: "BoardRead", 9: "ClosedPeer", 10: "ProcessStatus",
        ],
        "BoardStatus": [9: "ContentTerms"],
        "SessionUpdate": [2: "Location"],
        "Perform": [2: "Location"],
        "Transferred": [3: "Failure"],
        "Failure": [4: "SourceFailure"],
        "SessionEnter": [2: "Location"],
        "SessionExit": [1: "Failure"],
        "Proposal": [6: "Failure"],
    ]

    /// The message of each kind that has such fields.
    package static let kinds: [FrameKind: String] = [
        .write: "WriteRequest", .item: "Item", .load: "LoadRequest", .destination: "DestinationRequest",
        .move: "PointerUpdate", .performed: "Performed", .conclude: "Conclude", .contents: "Contents",
        .change: "Change", .statusEntry: "StatusEntry", .update: "SessionUpdate", .perform: "Perform",
        .transferred: "Transferred", .error: "Failure", .enter: "SessionEnter", .exit: "SessionExit",
        .proposal: "Proposal",
    ]
}
