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
    /// The time in which contents of an earlier broker may still come back; nil if there was none, or this time is
    /// over.
    package var settlingMilliseconds: UInt64?
    /// The directory in which the client may put large kept bytes, and pass them as a file, if it can reach it.
    package var keptDirectory: String?
    /// The number of bytes for which this directory has room.
    package var keptDirectoryRoom: UInt64?
    /// The device of its file system. The client may have another directory at this path.
    package var keptDirectoryDevice: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "version", &version)
        visit(2, "features", &features, most: WireLimits.features)
        visit(3, "epoch", &epoch)
        visit(4, "maximum_streams", &maximumStreams)
        visit(5, "kept_pool", &keptPool)
        visit(6, "first_byte_milliseconds", &firstByteMilliseconds)
        visit(7, "progress_milliseconds", &progressMilliseconds)
        visit(8, "process", &process)
        visit(9, "program_version", &programVersion)
        visit(10, "kept_free", &keptFree)
        visit(11, "settling_milliseconds", &settlingMilliseconds)
        visit(12, "kept_directory", &keptDirectory)
        visit(13, "kept_directory_room", &keptDirectoryRoom)
        visit(14, "kept_directory_device", &keptDirectoryDevice)
    }
}
