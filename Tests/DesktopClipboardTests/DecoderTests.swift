import PasteboardWire
import TestSupport
import Testing

@testable import DesktopClipboard

/// The bytes of display servers.
@Suite(.pure) struct DecoderTests {
    @Test("Messages of Wayland are found wherever the bytes are divided")
    func wayland() throws {
        let messages = [
            WaylandMessage.request(1, 0), WaylandMessage.request(7, 3) { $0.append(string: "ab") },
            WaylandMessage.request(8, 1) { $0.append(UInt32(5)) },
        ]
        let bytes = messages.flatMap(\.self)
        for cut in bytes.indices {
            var decoder = WaylandDecoder()
            var found: [[UInt32]] = []
            var names: [String] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                decoder.append(Array(part))
                while var message = try decoder.next() {
                    found.append([message.object, UInt32(message.opcode)])
                    if message.object == 7 { names.append(try message.fields.string()) }
                }
            }
            #expect(found == [[1, 0], [7, 3], [8, 1]])
            #expect(names == ["ab"])
        }
    }

    @Test("A message of Wayland with an impossible length is an error", arguments: [0, 4, 7, 9, 10])
    func waylandLength(length: UInt8) {
        var decoder = WaylandDecoder()
        decoder.append([1, 0, 0, 0, 0, 0, length, 0])
        #expect(throws: Failure.self) { try decoder.next() }
    }

    @Test(
        "A field that is longer than its message is an error",
        arguments: [[UInt8](), [1, 0, 0], [9, 0, 0, 0, 97, 0, 0, 0], [255, 255, 255, 255]]
    )
    func fields(bytes: [UInt8]) {
        #expect(throws: Failure.self) {
            var fields = FieldReader(bytes[...])
            _ = try fields.string()
        }
    }

    @Test("Replies, errors and events of X11 are found wherever the bytes are divided")
    func x11() throws {
        let event = [UInt8](repeating: 0, count: 31)
        let bytes =
            [1, 8, 5, 0, 1, 0, 0, 0] + [UInt8](repeating: 7, count: 28) + [0, 3, 6, 0, 9, 0, 0, 0] + event.dropLast(7)
            + [28 | 0x80] + event
        for cut in bytes.indices {
            var decoder = X11Decoder()
            var found: [String] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                decoder.append(Array(part))
                while let packet = try decoder.next() {
                    switch packet {
                    case .reply(let sequence, let detail, let fields):
                        found.append("\(sequence) \(detail) \(fields.count)")
                    case .error(let sequence, let code, let resource): found.append("\(sequence) \(code) \(resource)")
                    case .event(let code, _, let fields): found.append("\(code) \(fields.count)")
                    }
                }
            }
            #expect(found == ["5 8 28", "6 3 9", "28 28"])
        }
    }

    @Test("A reply of X11 that is longer than any that was requested is an error")
    func x11Length() {
        var decoder = X11Decoder()
        decoder.append([1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 24))
        #expect(throws: Failure.self) { try decoder.next() }
    }

    /// The answer of a server to a client, with a vendor of three bytes and one format of pixels.
    static func setup(screens: UInt8 = 1) -> [UInt8] {
        var writer = FieldWriter()
        for value: UInt32 in [1, 0x0020_0000, 0x001F_FFFF, 256] { writer.append(value) }
        for value: UInt16 in [3, 65_535] { writer.append(value) }
        writer.bytes += [screens, 1, 0, 0, 32, 32, 8, 255, 0, 0, 0, 0] + Array("abc".utf8) + [0]
        writer.bytes += [24, 32, 32, 0, 0, 0, 0, 0]
        writer.append(UInt32(1_349))
        return [1, 0, 11, 0, 0, 0, UInt8(writer.bytes.count / 4), 0] + writer.bytes
    }

    @Test("A connection to an X server has its root window and its own resources")
    func connection() throws {
        let bytes = Self.setup()
        var decoder = X11Decoder()
        decoder.append(Array(bytes.dropLast()))
        #expect(try decoder.setup() == nil)
        decoder.append([bytes[bytes.count - 1]])
        let setup = try #require(try decoder.setup())
        #expect((setup.root, setup.longestRequest) == (1_349, 262_140))
        #expect(setup.resource(1) == 0x0020_0001)
        // They begin anew.
        #expect(setup.resource(0x0020_0003) == 0x0020_0003)
    }

    @Test("A refused connection, one without a screen, and one that is cut off are errors")
    func refused() throws {
        let reason = Array("no\n\0".utf8)
        for bytes in [[0, 2, 11, 0, 0, 0, 1, 0] + reason, Self.setup(screens: 0), [1, 0, 11, 0, 0, 0, 0, 0]] {
            var decoder = X11Decoder()
            decoder.append(bytes)
            let failure = #expect(throws: Failure.self) { try decoder.setup() }
            if bytes[0] == 0 {
                #expect(failure?.text == "the X server refuses the connection: no; see DISPLAY and XAUTHORITY")
            }
        }
    }
}
