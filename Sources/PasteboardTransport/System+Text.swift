import CPasteboardSystem
import Glibc

extension System {
    /// Room for one step of a conversion: a text of any length takes no more beside its result.
    private static let conversionRoom = 16 << 10

    /// Converts text with the C library.
    ///
    /// - Parameters:
    ///   - bytes: the text, whole.
    ///   - source: the encoding's name. It may come from a stranger: only the characters of names are let through, so that
    ///     none can pass the converter's options, which follow a slash.
    /// - Throws: `EINVAL` for an encoding that is not known and for text that ends inside a character, `EILSEQ` at bytes
    ///   that are no character; the subject names the encoding and the byte.
    package static func convert(
        _ bytes: Span<UInt8>,
        fromEncoding source: String,
        toEncoding target: String
    ) throws(SystemError) -> [UInt8] {
        let converter = try TextConverter(from: source, to: target)
        // The pointers live as long as the closures, and the converter is told how much there is behind each.
        var result: Result<[UInt8], SystemError> = .success([])
        bytes.withUnsafeBufferPointer { input in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: conversionRoom) { room in
                result = Result { () throws(SystemError) in try converter.convert(input, room: room) }
            }
        }
        return try result.get()
    }
}

/// An open converter of the C library, closed with it.
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
        // The converter of a failure is -1, which is no address.
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
        // The converter's interface knows no constant; it does not write to its input.
        let start = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var next = start
        var left = input.count
        // A last call without input writes what the converter still holds.
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
                let place = code == EINVAL ? "at the end, inside the character at byte" : "at byte"
                let subject = "from \(source), \(place) \(input.count - left)"
                throw SystemError(call: "iconv", errno: code, subject: subject)
            }
        }
    }
}
