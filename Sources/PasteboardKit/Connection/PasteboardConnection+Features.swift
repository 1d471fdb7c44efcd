import PasteboardWire

extension PasteboardConnection {
    /// A part of the protocol that a broker may lack, because it is older or written by others.
    public struct Feature: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number of the feature in the protocol.
        public let rawValue: UInt32

        /// Makes a feature from its number, which this version of the library may not know.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Writes, loads and clears on the condition of a change count.
        public static let condition = Feature(.condition)
        /// Bytes in a file are passed as its descriptor.
        public static let descriptors = Feature(.descriptors)
        /// Representations that are loaded once and then kept by the broker.
        public static let onceAndKept = Feature(.onceAndKept)
        /// Progress of a drop, and its confirmation.
        public static let dropReports = Feature(.dropReports)
        /// Sensitive contents, their expiry, and the number of loads.
        public static let terms = Feature(.terms)
        /// Watches of pasteboards.
        public static let watches = Feature(.watches)
        /// Items that are added to contents.
        public static let additions = Feature(.additions)
        /// Unique pasteboards, and the removal of pasteboards.
        public static let boards = Feature(.boards)
        /// Promises that are handed over to the broker when their program ends.
        public static let handOver = Feature(.handOver)
        /// Contents that come back under their change count after the broker was lost.
        public static let reclaim = Feature(.reclaim)
        /// Writes that clear no contents of other programs to make room.
        public static let eviction = Feature(.eviction)
        /// Watches of all pasteboards.
        public static let allBoards = Feature(.allBoards)
        /// The broker finds out whether files and memory can be passed to this process.
        public static let probe = Feature(.probe)
        /// Contents that links have brought from other machines.
        public static let links = Feature(.links)

        private init(_ feature: PasteboardWire.Feature) {
            rawValue = feature.rawValue
        }

        /// The name of the feature; its number if this version of the library does not know it.
        public var description: String { PasteboardWire.Feature(rawValue: rawValue).map { "\($0)" } ?? "\(rawValue)" }
    }

    /// The features that both this library and the broker have.
    ///
    /// It connects if there is no connection, and then starts a broker if none runs. The answer can change when the
    /// broker is replaced by one of another version.
    ///
    /// ```swift
    /// guard try await PasteboardConnection.shared.features.contains(.watches) else { return }
    /// ```
    ///
    /// - Throws: the error that ended the connection; `cancelled` if the task is cancelled.
    public var features: Set<Feature> {
        get async throws(PasteboardError) {
            let live = try await liveConnection(for: Call("the query of the broker's features"))
            return Set(live.features.map(Feature.init(rawValue:)))
        }
    }
}
