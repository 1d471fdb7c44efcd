import CPasteboardSystem
import Glibc

extension System {
    /// The size of the buffer for one step. Converting a text of any length needs no more memory than this, besides the
    /// result.
    private static let conversionRoom = 16 << 10

    /// Converts text with the C library.
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - source: the encoding's name, possibly from another process. Only the characters of names are accepted, so
    ///     that it cannot contain the converter's options, which follow a slash.
    /// - Throws: `EINVAL` for an unknown encoding and for text that ends inside a character, `EILSEQ` for bytes that
    ///   are not a character. The subject contains the encoding and the offset.
    package static func convert(
        _ bytes: Span<UInt8>,
        fromEncoding source: String,
        toEncoding target: String
    ) throws(SystemError) -> [UInt8] {
        let converter = try TextConverter(from: source, to: target)
        // The pointers are valid in the closures, and the converter receives the size of each buffer.
        var result: Result<[UInt8], SystemError> = .success([])
        bytes.withUnsafeBufferPointer { input in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: conversionRoom) { room in
                result = Result { () throws(SystemError) in try converter.convert(input, room: room) }
            }
        }
        return try result.get()
    }
}

/// An open converter of the C library.
private struct TextConverter: ~Copyable {
    private let raw: iconv_t
    private let source: String

    init(from source: String, to target: String) throws(SystemError) {
        self.source = source
        guard Self.isName(source), Self.isName(target) else {
            throw SystemError(call: "iconv_open", errno: EINVAL, subject: "from \(source.debugDescription)")
        }
        let opened = iconv_open(target, source)
        let code = errno
        // A failure returns -1, which is not an address.
        guard let opened, Int(bitPattern: opened) != -1 else {
            throw SystemError(call: "iconv_open", errno: code, subject: "from \(source)")
        }
        raw = opened
    }

    deinit {
        iconv_close(raw)
    }

    private static func isName(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:+()".utf8.contains(byte)
                }
            }
    }

    func convert(
        _ input: UnsafeBufferPointer<UInt8>,
        room: UnsafeMutableBufferPointer<CChar>
    ) throws(SystemError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        // The C function takes a mutable pointer, but does not write to its input.
        let start = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var next = start
        var left = input.count
        // A last call without input writes the bytes that the converter has withheld.
        var isFlush = left == 0
        while true {
            var free = room.baseAddress
            var freeCount = room.count
            let status =
                isFlush ? iconv(raw, nil, nil, &free, &freeCount) : iconv(raw, &next, &left, &free, &freeCount)
            let code = errno
            output += UnsafeRawBufferPointer(room).prefix(room.count - freeCount)
            if status != -1 {
                if isFlush { return output }
                isFlush = true
            } else if code != E2BIG || freeCount == room.count {
                let location = code == EINVAL ? "at the end, inside the character at byte" : "at byte"
                let subject = "from \(source), \(location) \(input.count - left)"
                throw SystemError(call: "iconv", errno: code, subject: subject)
            }
        }
    }
}
