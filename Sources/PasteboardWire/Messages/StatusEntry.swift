/// One line of a status answer. Exactly one of its fields is present.
package struct StatusEntry: WireMessage {
    package static let kind = FrameKind.statusEntry

    package var peer: PeerStatus?
    package var board: BoardStatus?
    package var load: LoadStatus?
    package var counter: NamedNumber?
    package var limit: NamedNumber?
    package var session: SessionStatus?
    package var destination: DestinationStatus?
    package var read: BoardRead?
    package var closed: ClosedPeer?
    package var process: ProcessStatus?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, peer)
        bytes.appendField(2, board)
        bytes.appendField(3, load)
        bytes.appendField(4, counter)
        bytes.appendField(5, limit)
        bytes.appendField(6, session)
        bytes.appendField(7, destination)
        bytes.appendField(8, read)
        bytes.appendField(9, closed)
        bytes.appendField(10, process)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: try field.merge(into: &peer, in: bytes)
        case 2: try field.merge(into: &board, in: bytes)
        case 3: try field.merge(into: &load, in: bytes)
        case 4: try field.merge(into: &counter, in: bytes)
        case 5: try field.merge(into: &limit, in: bytes)
        case 6: try field.merge(into: &session, in: bytes)
        case 7: try field.merge(into: &destination, in: bytes)
        case 8: try field.merge(into: &read, in: bytes)
        case 9: try field.merge(into: &closed, in: bytes)
        case 10: try field.merge(into: &process, in: bytes)
        default: break
        }
    }
}

/// A connected process.
package struct PeerStatus: ProtobufMessage {
    package var process: UInt32?
    package var label: String?
    package var publications: UInt32?
    /// The number of running loads that it requested.
    package var loads: UInt32?
    /// The number of running loads that it is asked for.
    package var asks: UInt32?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, process)
        bytes.appendField(2, label)
        bytes.appendField(3, publications)
        bytes.appendField(4, loads)
        bytes.appendField(5, asks)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: process = try field.number32()
        case 2: label = try field.string(in: bytes)
        case 3: publications = try field.number32()
        case 4: loads = try field.number32()
        case 5: asks = try field.number32()
        default: break
        }
    }
}

/// A pasteboard, without its contents.
package struct BoardStatus: ProtobufMessage {
    package var name: String = ""
    package var changeCount: UInt64?
    package var itemCount: UInt32?
    package var keptBytes: UInt64?
    package var ownerProcess: UInt32?
    package var ownerLabel: String?
    /// The types of its first item.
    package var types: [String] = []
    /// The title of the board's first item that the peer may see.
    package var title: String?
    package var terms: ContentTerms?
    /// The age of the contents.
    package var milliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
        bytes.appendField(2, changeCount)
        bytes.appendField(3, itemCount)
        bytes.appendField(4, keptBytes)
        bytes.appendField(5, ownerProcess)
        bytes.appendField(6, ownerLabel)
        bytes.appendField(7, repeated: types)
        bytes.appendField(8, title)
        bytes.appendField(9, terms)
        bytes.appendField(10, milliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        case 2: changeCount = try field.number64()
        case 3: itemCount = try field.number32()
        case 4: keptBytes = try field.number64()
        case 5: ownerProcess = try field.number32()
        case 6: ownerLabel = try field.string(in: bytes)
        case 7: try field.append(to: &types, limit: WireLimits.representations, in: bytes)
        case 8: title = try field.string(in: bytes, limit: WireLimits.title)
        case 9: try field.merge(into: &terms, in: bytes)
        case 10: milliseconds = try field.number64()
        default: break
        }
    }
}

/// A running load.
package struct LoadStatus: ProtobufMessage {
    package var type: String = ""
    /// The process id of the source; none if the broker sends kept bytes.
    package var source: UInt32?
    /// The process id of the destination; none if the broker takes the bytes to keep them.
    package var destination: UInt32?
    /// The number of bytes so far.
    package var byteCount: UInt64?
    /// Its age.
    package var milliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, type)
        bytes.appendField(2, source)
        bytes.appendField(3, destination)
        bytes.appendField(4, byteCount)
        bytes.appendField(5, milliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: type = try field.string(in: bytes)
        case 2: source = try field.number32()
        case 3: destination = try field.number32()
        case 4: byteCount = try field.number64()
        case 5: milliseconds = try field.number64()
        default: break
        }
    }
}

/// A counter, or a limit and its value.
package struct NamedNumber: ProtobufMessage {
    package var name: String = ""
    package var value: UInt64?
    /// The unit and meaning of a limit.
    package var note: String?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
        bytes.appendField(2, value)
        bytes.appendField(3, note)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        case 2: value = try field.number64()
        case 3: note = try field.string(in: bytes)
        default: break
        }
    }
}

/// A drag session.
package struct SessionStatus: ProtobufMessage {
    /// The state in one word.
    package var state: String = ""
    package var ownerProcess: UInt32?
    package var ownerLabel: String?
    package var itemCount: UInt32?
    /// The types of its first item.
    package var types: [String] = []
    /// The name of the current destination.
    package var destination: String?
    /// The operation of the drop, or the proposed one before the drop.
    package var operation: DropOperation?
    /// Its age.
    package var milliseconds: UInt64?
    /// The handle of the publication with the items.
    package var handle: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, state)
        bytes.appendField(2, ownerProcess)
        bytes.appendField(3, ownerLabel)
        bytes.appendField(4, itemCount)
        bytes.appendField(5, repeated: types)
        bytes.appendField(6, destination)
        bytes.appendField(7, operation)
        bytes.appendField(8, milliseconds)
        bytes.appendField(9, handle)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: state = try field.string(in: bytes)
        case 2: ownerProcess = try field.number32()
        case 3: ownerLabel = try field.string(in: bytes)
        case 4: itemCount = try field.number32()
        case 5: try field.append(to: &types, limit: WireLimits.representations, in: bytes)
        case 6: destination = try field.string(in: bytes)
        case 7: operation = try field.enumeration()
        case 8: milliseconds = try field.number64()
        case 9: handle = try field.number64()
        default: break
        }
    }
}

/// A destination for drag sessions.
package struct DestinationStatus: ProtobufMessage {
    package var name: String = ""
    package var process: UInt32?
    package var label: String?
    /// The types that the destination accepts; any type if there are none.
    package var types: [String] = []
    /// The number of sessions at the destination.
    package var sessions: UInt32?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
        bytes.appendField(2, process)
        bytes.appendField(3, label)
        bytes.appendField(4, repeated: types)
        bytes.appendField(5, sessions)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        case 2: process = try field.number32()
        case 3: label = try field.string(in: bytes)
        case 4: try field.append(to: &types, limit: WireLimits.representations, in: bytes)
        case 5: sessions = try field.number32()
        default: break
        }
    }
}
