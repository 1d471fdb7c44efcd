import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Files that are opened in place, and the properties of the bytes in a source's answer.
@Suite(.pure) struct InPlaceTests {
    /// A source that was asked for a file, and the load of the destination.
    private struct Scene {
        let broker = StateHarness()
        let source: PeerID
        let reader: PeerID
        let load: UInt64
        let ask: UInt64
        let isWelcome: Bool?

        init(
            options: FileOptions? = .openInPlace,
            welcome: Bool? = true,
            descriptor: Bool = true,
            roles: (source: Role?, reader: Role?) = (nil, .program),
            name: String? = nil,
            type: String = "a"
        ) throws {
            self.source = broker.connect("s", descriptors: true, role: roles.source)
            self.reader = broker.connect("r", descriptors: true, role: roles.reader)
            var item = Item([Representation(type)], name: name)
            item.representations[0].fileOptions = options
            broker.write([item], from: self.source)
            load = broker.load(from: self.reader) {
                $0.descriptorWelcome = descriptor
                $0.inPlaceWelcome = welcome
            }
            let frame = try #require(broker.take(self.source).first { $0.kind == .ask })
            ask = frame.stream
            isWelcome = frame.decode(Ask.self).inPlaceWelcome
        }

        /// The answer to the destination if the source passes a file with this path and content form.
        mutating func answer(path: String?, content: ContentForm? = nil) throws -> Frame {
            var answer = Answer(byteCount: 9)
            answer.path = path
            answer.content = content
            let payload = answer.encoded
            broker.pass(.readOnlyFile, kind: .answer, payload: payload, on: ask, from: source)
            return try #require(broker.take(reader).on(load).first)
        }
    }

    @Test("An in-place file is welcome if the source offers it, the load requests it, and both are on this machine")
    func welcome() throws {
        #expect(try Scene().isWelcome == true)
        #expect(try Scene(options: 3).isWelcome == true)
        for options in [nil, 0, 2] as [FileOptions?] { #expect(try Scene(options: options).isWelcome == nil) }
        for welcome in [nil, false] { #expect(try Scene(welcome: welcome).isWelcome == nil) }
        #expect(try Scene(descriptor: false).isWelcome == nil)
        #expect(try Scene(roles: (.program, .link)).isWelcome == nil)
        #expect(try Scene(roles: (.link, .program)).isWelcome == nil)
    }

    @Test("The path is sent with the descriptor, and only if the load requested it")
    func path() throws {
        var scene = try Scene()
        let frame = try scene.answer(path: "/tmp/a b", content: 0)
        let answer = frame.decode(Answer.self)
        #expect(frame.passing == .received && answer.path == "/tmp/a b" && answer.content == .plain)

        var unwelcome = try Scene(welcome: false)
        #expect(try unwelcome.answer(path: "/tmp/a b").decode(Answer.self).path == nil)

        let inline = try Scene()
        var said = Answer(byteCount: 1)
        said.path = "/tmp/a"
        inline.broker.send(said, on: inline.ask, from: inline.source)
        inline.broker.data([1], last: true, on: inline.ask, from: inline.source)
        let answers = inline.broker.take(inline.reader)
        #expect(answers.kinds == [.answer, .data] && answers[0].decode(Answer.self).path == nil)
    }

    @Test(
        "A path that is relative, too long or contains a NUL is dropped, and the file is passed nevertheless",
        arguments: ["", "a", "./a", "/a\0b", "/" + String(repeating: "a", count: WireLimits.path)]
    )
    func badPath(_ path: String) throws {
        var scene = try Scene()
        let frame = try scene.answer(path: path)
        #expect(frame.passing == .received && frame.decode(Answer.self).path == nil)
    }

    @Test("The longest type, name and path fit a frame with a descriptor")
    func longest() throws {
        let type = String(repeating: "t", count: WireLimits.typeIdentifier)
        var scene = try Scene(name: String(repeating: "n", count: WireLimits.name), type: type)
        let path = "/" + String(repeating: "p", count: WireLimits.path - 1)
        let frame = try scene.answer(path: path, content: ContentForm(rawValue: .max))
        let answer = frame.decode(Answer.self)
        #expect(answer.path == path && answer.type == type)
        // The encoded numbers can grow by at most this many bytes.
        #expect(frame.payload.count + 64 <= WireLimits.descriptorFrameLength)
    }
}
