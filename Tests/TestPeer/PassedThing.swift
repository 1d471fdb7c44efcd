import Glibc
import PasteboardTransport

/// A valid or invalid descriptor to pass: `KIND:VALUE`.
struct PassedThing {
    let descriptor: DescriptorBox
    var byteCount: UInt64 = 0

    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Misuse() }
        let what = String(parts[1])
        switch parts[0] {
        case "file":
            descriptor = DescriptorBox(try System.open(what))
            byteCount = (try? System.status(of: descriptor.raw).size) ?? 0
        case "writable":
            descriptor = DescriptorBox(try System.open(what, .readingAndWriting))
        case "name":
            let pathOnly = OpenOptions(rawValue: 0x20_0000)
            descriptor = DescriptorBox(try System.open(what, pathOnly))
        case "memory", "sealed", "half-sealed":
            guard let count = Int(what) else { throw Misuse() }
            let file = try MemoryFile()
            try file.append([UInt8](repeating: 7, count: count).span)
            descriptor = file.descriptor
            byteCount = UInt64(count)
            if parts[0] == "sealed" { try file.seal() }
            // The seals prevent only future writes: an existing mapping can still change the bytes.
            if parts[0] == "half-sealed" { _ = fcntl(file.descriptor.raw, 1033, 0x1 | 0x2 | 0x4 | 0x10) }
        case "pipe":
            descriptor = DescriptorBox(try System.pipe().keepingFirst())
        case "socket":
            descriptor = DescriptorBox(try Socket.pair().keepingFirst())
        default:
            throw Misuse()
        }
    }
}
