/// Converts the bytes from a terminal into keys, however the bytes are split between reads.
///
/// A terminal sends an arrow key as an escape byte followed by more bytes. After the escape byte alone it is not known
/// whether it is the escape key: the rest follows immediately or not at all. The caller reports with ``flush()`` that
/// this time has passed. Unsupported keys, pasted text and invalid UTF-8 are dropped.
struct KeyDecoder {
    private static let escape: UInt8 = 0x1B
    private static let interrupt: UInt8 = 0x03
    /// The longest supported sequence.
    private static let longest = 32
    /// The numbers of the sequences before and after pasted text.
    private static let pastes = [Array("200".utf8): true, Array("201".utf8): false]

    /// The first bytes of an incomplete key.
    private var pending: [UInt8] = []
    /// Whether the bytes are pasted text and not keys.
    private var isPasting = false

    /// Whether a key is incomplete.
    var isWaiting: Bool { !pending.isEmpty }

    /// Returns the keys that these bytes complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            // The end of the paste was lost: a terminal never includes this key in pasted text.
            if byte == Self.interrupt { isPasting = false }
            let count = keys.count
            handle(byte, &keys)
            if isPasting { keys.removeLast(keys.count - count) }
        }
        return keys
    }

    /// Reports that no more bytes of the pending key will follow.
    mutating func flush() -> [Key] {
        defer { pending = [] }
        return pending.first == Self.escape && !isPasting ? [.escape] : []
    }

    private mutating func handle(_ byte: UInt8, _ keys: inout [Key]) {
        guard let first = pending.first else { return begin(byte, &keys) }
        guard first == Self.escape else { return handleScalar(byte, &keys) }
        guard pending.count > 1 else { return handleEscaped(byte, &keys) }
        switch byte {
        case 0x20...0x3F where pending[1] == UInt8(ascii: "[") && pending.count < Self.longest:
            pending.append(byte)
        case 0x40...0x7E:
            let parameters = pending[2...]
            pending = []
            if byte == UInt8(ascii: "~"), let isBeginning = Self.pastes[Array(parameters)] {
                isPasting = isBeginning
            } else if let key = Self.key(final: byte, parameters: parameters) {
                keys.append(key)
            }
        default:
            // The pending bytes were not the beginning of a sequence.
            pending = []
            begin(byte, &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case Self.escape, 0xC2...0xF4: pending = [byte]
        case 0x09: keys.append(.tab)
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20...0x7E: keys.append(.character(Character(Unicode.Scalar(byte))))
        default: break
        }
    }

    private mutating func handleEscaped(_ byte: UInt8, _ keys: inout [Key]) {
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
            pending.append(byte)
        } else {
            pending = []
            keys.append(.escape)
            begin(byte, &keys)
        }
    }

    private mutating func handleScalar(_ byte: UInt8, _ keys: inout [Key]) {
        guard 0x80...0xBF ~= byte else {
            pending = []
            return begin(byte, &keys)
        }
        pending.append(byte)
        let length = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
        guard pending.count == length else { return }
        if let text = String(validating: pending, as: UTF8.self), let character = text.first, !character.isControl {
            keys.append(.character(character))
        }
        pending = []
    }

    private static func key(final: UInt8, parameters: ArraySlice<UInt8>) -> Key? {
        switch Unicode.Scalar(final) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "M": parameters.isEmpty ? .enter : nil
        case "Z": .backTab
        case "~":
            switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
            case "1", "7": .home
            case "4", "8": .end
            case "5": .pageUp
            case "6": .pageDown
            default: nil
            }
        default: nil
        }
    }
}

extension Character {
    /// Whether the byte is in one of the two sets of control characters.
    fileprivate var isControl: Bool {
        unicodeScalars.first?.properties.generalCategory == .control
    }
}
