import PasteboardWire
import TestSupport
import Testing

@Suite("Protobuf decoding", .pure)
struct ProtobufDecodingTests {
    @Test("The last of several values of a scalar or string is used")
    func lastWins() throws {
        let end = try End(decoding: bytes(hex: "1001 0805 1002 0806"))
        #expect(end.reason == .cleared)
        #expect(end.byteCount == 6)
        #expect(try List(decoding: bytes(hex: "0a0161 0a00")).board?.isEmpty == true)
        #expect(try Load(decoding: bytes(hex: "4801 4800")).descriptorWelcome == false)
    }

    @Test("Repeated values of a message field are merged")
    func merge() throws {
        // peer {process 1} board {name "a"} peer {label "b", loads 3} board {name "c", types "d"}, types "e"
        let message = "0a02 0801" + "1203 0a0161" + "0a05 120162 2003" + "1206 0a0163 3a0164" + "1203 3a0165"
        let entry = try StatusEntry(decoding: bytes(hex: message))
        var peer = PeerStatus()
        peer.process = 1
        peer.label = "b"
        peer.loads = 3
        var board = BoardStatus()
        board.name = "c"
        board.types = ["d", "e"]
        #expect(entry.peer == peer)
        #expect(entry.board == board)
        #expect(entry.load == nil)
    }

    @Test("Lists grow in the order of their values, packed or not")
    func lists() throws {
        #expect(try Hello(decoding: bytes(hex: "1801 1a02 0203 1804 1a00")).features == [1, 2, 3, 4])
        let item = try Item(decoding: bytes(hex: "1203 0a0161 1203 0a0162"))
        #expect(item.representations.map(\.type) == ["a", "b"])
    }

    @Test("Unknown fields are skipped, whatever their wire type", .tags(.f89))
    func unknownFields() throws {
        let unknown = "980105" + "91020102030405060708" + "9a0103616263" + "9d0201020304" + "f8ffffff0f01"
        #expect(try Commit(decoding: bytes(hex: unknown + "0803" + unknown)).itemCount == 3)
        #expect(try Cancel(decoding: bytes(hex: unknown)) == Cancel())
    }

    @Test(
        "Malformed protobuf is an invalid argument",
        arguments: [
            ("a key without value", "08"),
            ("a number that does not end", "08ffff"),
            ("a number of more than 64 bits", "08ffffffffffffffffff02"),
            ("a number of eleven bytes", "08ffffffffffffffffffff01"),
            ("field number 0", "0001"),
            ("a field number beyond 2^29", "8080808010 01"),
            ("a group", "0b0c"),
            ("the end of a group", "0c"),
            ("wire type 6", "0e"),
            ("wire type 7", "0f"),
            ("a length beyond the message", "9a010461"),
            ("a length of 2^64 - 1", "9a01ffffffffffffffffff01"),
            ("a length of 2^63", "9a0180808080808080808001"),
            ("a fixed field cut short", "910201020304050607"),
            ("a known number as bytes", "0a0101"),
            ("a known number as a fixed field", "0d01020304"),
        ]
    )
    func malformed(what: String, message: String) {
        Self.expect(.invalidArgument, Commit.self, bytes(hex: message))
    }

    @Test(
        "A string that is not UTF-8, a string as a number and a message as a number are invalid arguments",
        .tags(.f17)
    )
    func malformedStrings() {
        for message in ["0a02c328", "0a01ff", "0a03eda080", "0a02c080", "0801"] {
            Self.expect(.invalidArgument, Write.self, bytes(hex: message))
        }
        Self.expect(.invalidArgument, StatusEntry.self, bytes(hex: "0801"))
        Self.expect(.invalidArgument, Item.self, bytes(hex: "1001"))
        Self.expect(.invalidArgument, Item.self, bytes(hex: "1203 0a0561"))
        Self.expect(.invalidArgument, Hello.self, bytes(hex: "1a01 80"))
    }

    @Test("A number too large for its field loses its upper bits, and every number except 0 is true")
    func narrowing() throws {
        #expect(try Commit(decoding: bytes(hex: "08 8580808010")).itemCount == 5)
        #expect(try Load(decoding: bytes(hex: "48 8002")).descriptorWelcome == true)
        #expect(try Credit(decoding: bytes(hex: "08 ffffffffffffffffff01")).offset == .max)
    }

    @Test("Numbers may be written longer than needed")
    func overlong() throws {
        #expect(try Commit(decoding: bytes(hex: "8800 858000")).itemCount == 5)
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
            #expect(encoded(try decoded(type, list)).suffix(limit + 2) == packed(limit))
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
        let one: [UInt8] = [UInt8(field << 3 | 2), 0]
        let full = (0..<limit).flatMap { _ in one }
        let lines = fieldLines(try decoded(type, full))
        #expect(lines.contains { $0.contains("[\(limit - 1)]") })
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
        #expect(encoded(try decoded(Item.self, item(limit))) == item(limit))
        Self.expect(.limitExceeded, Item.self, item(limit + 1))
    }

    private static func expect(_ code: ErrorCode, _ type: any ProtobufMessage.Type, _ bytes: [UInt8]) {
        let failure = #expect(throws: Failure.self) { try decoded(type, bytes) }
        #expect(failure?.code == code)
    }
}
