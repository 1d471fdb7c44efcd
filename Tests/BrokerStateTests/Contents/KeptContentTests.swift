import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The content form of kept bytes, such as the archive of a folder.
@Suite(.pure) struct KeptContentTests {
    private static func item(content: ContentForm?, kept: Bool = true) -> Item {
        var representation = Representation("public.folder", kept: kept)
        representation.content = content
        return Item([representation], name: "tree")
    }

    @Test(
        "Each answer and each list contains the content form that the writer stated for kept bytes",
        arguments: [nil, 0, 1] as [ContentForm?]
    )
    func stored(content: ContentForm?) throws {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.write([Self.item(content: content)], kept: [[1, 2, 3]], from: writer)
        broker.disconnect(writer)
        let reader = broker.connect()
        for _ in 0..<2 {
            let load = broker.load(from: reader)
            let frames = broker.take(reader).on(load)
            #expect(frames.first(Answer.self)?.content == content && frames.bytes == [1, 2, 3])
        }
        let listed = try #require(broker.list(from: reader).first(Item.self))
        #expect(listed.representations.map(\.content) == [content])
    }

    @Test("The answer for an archive that is passed as a memory file contains its content form")
    func passed() throws {
        let broker = StateHarness()
        let writer = broker.connect(descriptors: true)
        let stream = broker.begin(from: writer)
        broker.send(Self.item(content: 1), on: stream, from: writer)
        broker.pass(.sealedMemory(byteCount: 1 << 20), kind: .data, on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        let reader = broker.connect(descriptors: true)
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        let frames = broker.take(reader).on(load)
        #expect(frames.kinds == [.answer] && frames[0].passing != nil)
        #expect(frames.first(Answer.self)?.content == .folderArchive)
    }

    @Test(
        "An unknown content form, and any form of a promise, is refused, and the board does not change",
        arguments: [(2, true), (77, true), (.folderArchive, false), (2, false)] as [(ContentForm, Bool)]
    )
    func refused(content: ContentForm, isKept: Bool) {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.promise("a", from: writer)
        let stream = broker.write([Self.item(content: content, kept: isKept)], kept: [[1]], from: writer)
        #expect(broker.take(writer).on(stream).codes == [.invalidArgument])
        let reader = broker.connect()
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.type) == ["a"])
        #expect(broker.closed.isEmpty && broker.brokenInvariants().isEmpty)
    }
}
