/// One of the last loads of a pasteboard.
package struct BoardRead: ProtobufMessage, Equatable {
    package var board: String = ""
    package var process: UInt32?
    package var label: String?
    package var type: String?
    /// The time since then.
    package var milliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, board)
        bytes.appendField(2, process)
        bytes.appendField(3, label)
        bytes.appendField(4, type)
        bytes.appendField(5, milliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: board = try field.string(in: bytes)
        case 2: process = try field.number32()
        case 3: label = try field.string(in: bytes)
        case 4: type = try field.string(in: bytes)
        case 5: milliseconds = try field.number64()
        default: break
        }
    }
}

/// One of the last connections that ended or were refused.
package struct ClosedPeer: ProtobufMessage, Equatable {
    package var process: UInt32?
    package var label: String?
    /// Why the broker closed or refused the connection; none if the process closed it.
    package var reason: String?
    /// The time since then.
    package var milliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, process)
        bytes.appendField(2, label)
        bytes.appendField(3, reason)
        bytes.appendField(4, milliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: process = try field.number32()
        case 2: label = try field.string(in: bytes)
        case 3: reason = try field.string(in: bytes)
        case 4: milliseconds = try field.number64()
        default: break
        }
    }
}

/// A process with connections.
package struct ProcessStatus: ProtobufMessage, Equatable {
    package var process: UInt32?
    package var connections: UInt32?
    /// The estimated processor time that the broker spent on its input.
    package var microseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, process)
        bytes.appendField(2, connections)
        bytes.appendField(3, microseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: process = try field.number32()
        case 2: connections = try field.number32()
        case 3: microseconds = try field.number64()
        default: break
        }
    }
}
