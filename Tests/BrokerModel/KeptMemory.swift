/// The bytes of a kept representation, as a driver holds them. Memory that a client has passed has only a size here,
/// because the size may be any number; each of its bytes is 7.
struct KeptMemory {
    private var stored: [UInt8]
    let isAdopted: Bool
    private(set) var count: UInt64

    init(_ bytes: [UInt8] = []) {
        (stored, isAdopted, count) = (bytes, false, UInt64(bytes.count))
    }

    init(adopting count: UInt64) {
        (stored, isAdopted, self.count) = ([], true, count)
    }

    mutating func append(_ bytes: [UInt8]) {
        stored += bytes
        count += UInt64(bytes.count)
    }

    /// A range of the bytes; nil if it lies outside of them.
    func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset <= self.count, UInt64(count) <= self.count - offset else { return nil }
        guard !isAdopted else { return [UInt8](repeating: 7, count: count) }
        return Array(stored[Int(offset)..<Int(offset) + count])
    }
}
