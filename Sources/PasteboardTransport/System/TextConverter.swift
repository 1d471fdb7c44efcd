import CPasteboardSystem
import Glibc

/// A converter of the C library, which takes a text chunk by chunk.
///
/// Its errors are `EINVAL` for an unknown encoding and for text that ends inside a character, and `EILSEQ` for bytes
/// that are not a character. The subject contains the encoding and the offset.
package final class TextConverter {
    /// The size of the buffer for one step. Converting a text of any length needs no more memory than this, besides the
    /// result.
    private static let room = 16 << 10

    private let raw: iconv_t
    private let source: String
    /// The bytes at the end of the last chunk that are the start of a character.
    private var rest: [UInt8] = []
    /// The number of bytes that were converted.
    private var offset = 0

    /// - Parameter source: the encoding's name, possibly from another process. Only the characters of names are
    ///   accepted, so that it cannot contain the converter's options, which follow a slash.
    package init(from source: String, to target: String) throws(SystemError) {
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

    /// Converts the next bytes. A character that they begin is converted with the bytes that follow.
    package func next(_ bytes: Span<UInt8>) throws(SystemError) -> [UInt8] {
        var input = exchange(&rest, with: [])
        guard !input.isEmpty else { return try convert(bytes) }
        input.append(copying: bytes)
        return try convert(input.span)
    }

    /// Returns the bytes that the converter has withheld. Throws if the text ends inside a character.
    package func finish() throws(SystemError) -> [UInt8] {
        guard rest.isEmpty else { throw failure(EINVAL, "at the end, inside the character at byte") }
        return try convert(nil, 0)
    }

    private func convert(_ bytes: Span<UInt8>) throws(SystemError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        // The pointer is valid in the closure. The C function takes a mutable pointer, but does not write to its input.
        var result: Result<[UInt8], SystemError> = .success([])
        bytes.withUnsafeBytes { bytes in
            let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            result = Result { () throws(SystemError) in try convert(start, bytes.count) }
        }
        return try result.get()
    }

    /// - Parameter input: nil to write the bytes that the converter has withheld.
    private func convert(_ input: UnsafeMutablePointer<CChar>?, _ count: Int) throws(SystemError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(count)
        var (next, left, code) = (input, count, E2BIG)
        while code == E2BIG {
            let before = left
            // The converter gets the size of the buffer, which is valid in the closure.
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.room) { room in
                var (free, freeCount) = (room.baseAddress, room.count)
                let status =
                    input == nil ? iconv(raw, nil, nil, &free, &freeCount) : iconv(raw, &next, &left, &free, &freeCount)
                code = status == -1 ? errno : 0
                output += UnsafeRawBufferPointer(room).prefix(room.count - freeCount)
            }
            offset += before - left
        }
        if code == EINVAL, let next {
            rest = Array(UnsafeRawBufferPointer(start: next, count: left))
        } else if code != 0 {
            throw failure(code, "at byte")
        }
        return output
    }

    private func failure(_ code: CInt, _ location: String) -> SystemError {
        SystemError(call: "iconv", errno: code, subject: "from \(source), \(location) \(offset)")
    }
}
