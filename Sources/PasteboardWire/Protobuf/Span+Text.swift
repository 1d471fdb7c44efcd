extension Span<UInt8> {
    /// Whether the bytes are equal.
    @inlinable
    package func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (words, otherWords) = unsafe (bytes, other.bytes)
        var index = 0
        while count - index >= 8 {
            // Every bit pattern is a number, and the loads are checked against the spans.
            let word = unsafe words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard unsafe word == otherWords.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) else {
                return false
            }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes are UTF-8. Most names are ASCII, which is checked first.
    @inline(__always)
    var isUTF8: Bool { isASCII || isLongUTF8 }

    @inline(__always)
    private var isASCII: Bool {
        guard count >= 8 else { return false }
        let words = unsafe bytes
        var all: UInt64 = 0
        var index = 0
        // Every bit pattern is a number, and the loads are checked against the span. The last word may overlap the one
        // before it.
        while index < count - 8 {
            all |= unsafe words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        all |= unsafe words.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return all & 0x8080_8080_8080_8080 == 0
    }

    @inline(never)
    private var isLongUTF8: Bool {
        do { _ = try UTF8Span(validating: self) } catch { return false }
        return true
    }
}

extension Range<Int> {
    @inline(__always)
    init(_ range: Range<UInt32>) { self = Int(range.lowerBound)..<Int(range.upperBound) }
}

extension String {
    /// Copies bytes that were found to be UTF-8.
    init(text range: Range<UInt32>, in bytes: Span<UInt8>) {
        do { self.init(copying: try UTF8Span(validating: bytes.extracting(Range(range)))) } catch { self = "" }
    }
}
