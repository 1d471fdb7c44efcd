import PasteboardWire
import TestSupport
import Testing

@Suite("Protobuf decoding", .pure)
struct ProtobufDecodingTests {
    @Test(
        "Malformed protobuf is an invalid argument",
        arguments: [
            ("a field number beyond 2^29", "8080808010 01"),
            ("wire type 7", "0f"),
            ("a length of 2^64 - 1", "9a01ffffffffffffffffff01"),
            ("a length of 2^63", "9a0180808080808080808001"),
            ("a known number as a fixed field", "0d01020304"),
        ]
    )
    func malformed(what: String, message: String) {
        Self.expect(.invalidArgument, Commit.self, bytes(hex: message))
    }

    @Test(
        "A list is accepted up to its limit and refused beyond it",
        .tags(.f19),
        arguments: [
            (Hello.self, 3, WireLimits.features), (Welcome.self, 2, WireLimits.features),
            (Write.self, 15, WireLimits.features), (Load.self, 15, WireLimits.features),
            (Item.self, 15, WireLimits.features), (List.self, 15, WireLimits.features),
            (Clear.self, 15, WireLimits.features), (Status.self, 15, WireLimits.features),
            (Stop.self, 15, WireLimits.features),
        ] as [(any ProtobufMessage.Type, UInt64, Int)]
    )
    func limitsOfNumbers(type: any ProtobufMessage.Type, field: UInt64, limit: Int) throws {
        func packed(_ count: Int) -> [UInt8] {
            [UInt8(field << 3 | 2), UInt8(count)] + [UInt8](repeating: 1, count: count)
        }
        func single(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { _ in [UInt8(field << 3), 1] }
        }
        for list in [packed(limit), single(limit), packed(limit - 1) + single(1)] {
            #expect(try decoded(type, list).encoded.suffix(limit + 2) == packed(limit))
        }
        for list in [packed(limit + 1), single(limit + 1), packed(limit) + single(1), single(limit) + packed(1)] {
            Self.expect(.limitExceeded, type, list)
        }
    }

    @Test(
        "A list of strings or messages is accepted up to its limit and refused beyond it",
        .tags(.f19),
        arguments: [
            (Item.self, 2, WireLimits.representations), (Representation.self, 2, WireLimits.supertypes),
            (Load.self, 5, WireLimits.accepts),
            (BoardStatus.self, 7, WireLimits.representations),
        ] as [(any ProtobufMessage.Type, UInt64, Int)]
    )
    func limitsOfEntries(type: any ProtobufMessage.Type, field: UInt64, limit: Int) throws {
        // A string of two bytes, or a message whose first field is an empty string.
        let one: [UInt8] = [UInt8(field << 3 | 2), 2, 0x0A, 0]
        let full = (0..<limit).flatMap { _ in one }
        #expect(try decoded(type, full).encoded.suffix(full.count) == full)
        Self.expect(.limitExceeded, type, full + one)
    }

    @Test(
        "A text and bytes are accepted up to their limit and refused beyond it",
        .tags(.f19),
        arguments: [(6, WireLimits.teamData), (7, WireLimits.title)] as [(UInt8, Int)]
    )
    func limitsOfBytes(field: UInt8, limit: Int) throws {
        func item(_ count: Int) -> [UInt8] {
            [field << 3 | 2, 0x80 | UInt8(count & 0x7F), UInt8(count >> 7)] + [UInt8](repeating: 1, count: count)
        }
        #expect(try decoded(Item.self, item(limit)).encoded == item(limit))
        Self.expect(.limitExceeded, Item.self, item(limit + 1))
    }

    private static func expect(_ code: ErrorCode, _ type: any ProtobufMessage.Type, _ bytes: [UInt8]) {
        let failure = #expect(throws: Failure.self) { try decoded(type, bytes) }
        #expect(failure?.code == code)
    }
}
