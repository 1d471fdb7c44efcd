import PasteboardTransport

/// The list of the descriptions that are current, one for each board, in a memory file that the service manager has
/// from the start.
///
/// A new broker restores only what is listed. The broker changes the list without a message, so contents that were
/// replaced or cleared do not come back, even if the manager does not take messages any more. What is listed, and was
/// not taken, is missing then: the board is empty.
struct SavedIndex {
    /// A name of kept bytes that nothing uses: a broker of a version without this list removes it.
    static let name = "k0"
    private static let numberSize = 8
    /// The greatest size of the file.
    private static let limit = 1 << 20

    let file: MemoryFile
    /// The places that list nothing.
    private var free: [Int]
    private var count: Int

    init() throws(SystemError) {
        file = try MemoryFile()
        (free, count) = ([], 0)
    }

    /// Takes over the list of the broker before.
    ///
    /// - Returns: the list, and the places of the numbers in it.
    static func adopted(_ file: DescriptorBox) throws(SystemError) -> (index: SavedIndex, places: [UInt64: Int]) {
        let file = MemoryFile(changing: file)
        let bytes = try file.contents(limit: limit)
        var places: [UInt64: Int] = [:]
        var free: [Int] = []
        for place in 0..<bytes.count / numberSize {
            let number = bytes[place * numberSize..<(place + 1) * numberSize].reversed()
                .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if number == 0 { free.append(place) } else { places[number] = place }
        }
        return (SavedIndex(file: file, free: free, count: bytes.count / numberSize), places)
    }

    private init(file: MemoryFile, free: [Int], count: Int) {
        (self.file, self.free, self.count) = (file, free, count)
    }

    mutating func takePlace() -> Int {
        if let place = free.popLast() { return place }
        count += 1
        return count - 1
    }

    /// Lists a description. Numbers are written whole, because they do not extend over two pages.
    func list(_ number: UInt64, at place: Int) throws(SystemError) {
        let bytes = (0..<Self.numberSize).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        try file.write(bytes.span, at: UInt64(place * Self.numberSize))
    }

    /// Lists nothing at a place. That cannot fail: the memory of the place is there.
    mutating func clear(_ place: Int) {
        try? list(0, at: place)
        free.append(place)
    }
}
