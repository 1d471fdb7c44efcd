/// The last loads of a publication. They are numbers, so that noting one costs no allocation after the first, and no
/// reference count.
struct ReadHistory: Sendable {
    struct Read: BitwiseCopyable, Sendable {
        let process: ProcessKey
        let part: PublicationPart
        let peer: PeerID
        let at: UInt64
    }

    /// The number of loads that are remembered.
    static let length = 16

    /// Allocated with the first load, because many publications are never loaded.
    private var reads: [Read] = []
    private var count = 0

    @inline(__always)
    mutating func record(_ read: Read) {
        let index = count & (Self.length - 1)
        count &+= 1
        if index < reads.count { reads[index] = read } else { append(read) }
    }

    @inline(never)
    private mutating func append(_ read: Read) {
        if reads.isEmpty { reads.reserveCapacity(Self.length) }
        reads.append(read)
    }

    /// The oldest first.
    var all: [Read] {
        let first = max(0, count - Self.length)
        return (first..<count).map { reads[$0 & (Self.length - 1)] }
    }
}

/// A load of contents that a board held earlier, of a representation that everybody could see.
struct EarlierRead: Sendable {
    let process: UInt32
    let label: String?
    let type: String
    let at: UInt64
}
