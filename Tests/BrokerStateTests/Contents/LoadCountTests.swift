import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents that can be loaded a limited number of times, by descriptor.
@Suite(.pure) struct LoadCountTests {
    private static func loadsLeft(_ broker: StateHarness, for reader: PeerID) -> UInt32? {
        broker.list(from: reader).first(Contents.self)?.terms?.maximumLoads
    }

    /// A broker with two loads of large kept bytes, or of a source's file.
    private static func passed(isKept: Bool) throws -> (StateHarness, writer: PeerID, reader: PeerID, load: UInt64) {
        let broker = StateHarness()
        broker.deliversAtOnce = false
        let writer = broker.connect(descriptors: true)
        let item = Item([Representation("a", kept: isKept)])
        let bytes = [UInt8](repeating: 7, count: 100_000)
        broker.write([item], kept: isKept ? [bytes] : [], terms: ContentTerms(loads: 1), from: writer)
        let reader = broker.connect(descriptors: true)
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        if !isKept {
            let payload = Answer(byteCount: 5).encoded
            let ask = try #require(broker.takeAsks(writer).first)
            broker.pass(.readOnlyFile, kind: .answer, payload: payload, on: ask, from: writer)
        }
        return (broker, writer, reader, load)
    }

    @Test(
        "A load by descriptor counts when the socket has taken it, also if it was cancelled",
        arguments: [true, false],
        [true, false]
    )
    func descriptor(isKept: Bool, isCancelled: Bool) throws {
        let (broker, writer, reader, load) = try Self.passed(isKept: isKept)
        #expect(broker.take(reader).on(load).first?.passing != nil)
        // A file's load is over, so its cancel is late.
        if isCancelled { broker.send(Cancel(), on: load, from: reader) }
        let other = broker.connect()
        let early = broker.load(from: other)
        #expect(broker.take(other).on(early).codes == [.notLoadableNow])
        broker.deliver(to: reader)
        #expect(broker.take(writer).all(End.self).map(\.reason) == [.loaded])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A descriptor that was never sent gives the turn back", arguments: [true, false])
    func undeliveredDescriptor(isKept: Bool) throws {
        let (broker, _, reader, _) = try Self.passed(isKept: isKept)
        broker.disconnect(reader)
        let other = broker.connect()
        #expect(Self.loadsLeft(broker, for: other) == 1)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A file that the system does not pass gives the turn back, and kept bytes are sent inline then")
    func refusedDescriptor() throws {
        for isKept in [true, false] {
            let broker = StateHarness()
            broker.refusesDescriptors = true
            let writer = broker.connect(descriptors: true)
            let item = Item([Representation("a", kept: isKept)])
            let bytes = [UInt8](repeating: 7, count: 100_000)
            broker.write([item], kept: isKept ? [bytes] : [], terms: ContentTerms(loads: 1), from: writer)
            let reader = broker.connect(descriptors: true)
            let load = broker.load(from: reader) { $0.descriptorWelcome = true }
            guard !isKept else {
                #expect(broker.take(reader).on(load).bytes == bytes)
                #expect(broker.take(writer).all(End.self).map(\.reason) == [.loaded])
                continue
            }
            let payload = Answer(byteCount: 5).encoded
            let ask = try #require(broker.takeAsks(writer).first)
            broker.pass(.readOnlyFile, kind: .answer, payload: payload, on: ask, from: writer)
            #expect(broker.take(reader).on(load).codes == [.limitExceeded])
            #expect(Self.loadsLeft(broker, for: reader) == 1)
        }
    }
}
