/// The contents of a board, without bytes.
package struct Contents: WireMessage {
    package static let kind = FrameKind.contents

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication; none if the board is empty.
    package var handle: UInt64?
    package var itemCount: UInt32?
    /// The name of the writing program, as reported by itself.
    package var ownerLabel: String?
    /// The process id of the writer, as reported by the kernel.
    package var ownerProcess: UInt32?

    package var terms: ContentTerms?
    /// The age of the contents.
    package var milliseconds: UInt64?
    /// The number of times that items or representations were added, or promises were lost with their source.
    package var version: UInt64?
    /// The time since the board was cleared to make room for other contents, if it is empty for this reason.
    package var clearedMilliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, changeCount)
        bytes.appendField(2, epoch)
        bytes.appendField(3, handle)
        bytes.appendField(4, itemCount)
        bytes.appendField(5, ownerLabel)
        bytes.appendField(6, ownerProcess)
        bytes.appendField(7, terms)
        bytes.appendField(8, milliseconds)
        bytes.appendField(9, version)
        bytes.appendField(10, clearedMilliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: changeCount = try field.number64()
        case 2: epoch = try field.number64()
        case 3: handle = try field.number64()
        case 4: itemCount = try field.number32()
        case 5: ownerLabel = try field.string(in: bytes)
        case 6: ownerProcess = try field.number32()
        case 7: try field.merge(into: &terms, in: bytes)
        case 8: milliseconds = try field.number64()
        case 9: version = try field.number64()
        case 10: clearedMilliseconds = try field.number64()
        default: break
        }
    }
}
