/// The broker's answer to hello: the version and features that it selects, and the limits of this connection.
package struct Welcome: WireMessage {
    package static let kind = FrameKind.welcome

    package var version: UInt32?
    /// The features that both sides have.
    package var features: [UInt32] = []
    /// A number for this lifetime of the broker: change counts of different epochs are not comparable.
    package var epoch: UInt64?
    /// The largest number of loads that the client may have open at once.
    package var maximumStreams: UInt32?
    /// The size of the broker's kept pool, which all clients share. A write that cannot fit need not be sent.
    package var keptPool: UInt64?
    /// The default timeout for the first byte of a load.
    package var firstByteMilliseconds: UInt64?
    /// The default timeout between two bytes of a load while its source has credit.
    package var progressMilliseconds: UInt64?
    /// The broker's process id.
    package var process: UInt32?
    package var programVersion: String?
    /// The bytes of the kept pool that this client may take now.
    package var keptFree: UInt64?
    /// The time in which contents of an earlier broker may still come back; nil if there was none, or this time is over.
    package var settlingMilliseconds: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, version)
        bytes.appendField(2, repeated: features)
        bytes.appendField(3, epoch)
        bytes.appendField(4, maximumStreams)
        bytes.appendField(5, keptPool)
        bytes.appendField(6, firstByteMilliseconds)
        bytes.appendField(7, progressMilliseconds)
        bytes.appendField(8, process)
        bytes.appendField(9, programVersion)
        bytes.appendField(10, keptFree)
        bytes.appendField(11, settlingMilliseconds)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: version = try field.number32()
        case 2: try field.append(to: &features, limit: WireLimits.features, in: bytes)
        case 3: epoch = try field.number64()
        case 4: maximumStreams = try field.number32()
        case 5: keptPool = try field.number64()
        case 6: firstByteMilliseconds = try field.number64()
        case 7: progressMilliseconds = try field.number64()
        case 8: process = try field.number32()
        case 9: programVersion = try field.string(in: bytes)
        case 10: keptFree = try field.number64()
        case 11: settlingMilliseconds = try field.number64()
        default: break
        }
    }
}
