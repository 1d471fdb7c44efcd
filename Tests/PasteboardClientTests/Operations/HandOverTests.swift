import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// The hand-over of promises before a program ends.
@Suite(.pure) struct HandOverTests {
    private func promises(_ count: Int) -> [HandOver.Promise] {
        (0..<count).map { HandOver.Promise(item: $0 / 2, representation: $0 % 2) }
    }

    @Test("At most 16 promises are made at once, in order")
    func atOnce() {
        let promises = promises(18)
        var handOver = HandOver(promises, deadline: 100)
        #expect(handOver.next(at: 0) == .over)
        handOver.begin(keeping: [])
        for promise in promises.prefix(16) { #expect(handOver.next(at: 0) == .make(promise)) }
        #expect(handOver.next(at: 0) == .wait)
        handOver.keep(promises[3])
        #expect(handOver.next(at: 0) == .make(promises[16]))
        handOver.drop(promises[4], "failed")
        #expect(handOver.next(at: 0) == .make(promises[17]))
        for promise in promises { handOver.keep(promise) }
        #expect(handOver.next(at: 0) == .over)
        #expect(handOver.kept == Set(promises).subtracting([promises[4]]))
        #expect(handOver.dropped == [promises[4]: "failed"])
    }

    @Test("A promise that exceeds what the others have left of the limit is dropped, and leaves its room to them")
    func limit() {
        let promises = promises(3)
        var handOver = HandOver(promises, byteLimit: 10, deadline: 100)
        handOver.begin(keeping: [])
        for promise in promises { #expect(handOver.next(at: 0) == .make(promise)) }
        let taken = [
            handOver.acquire(4, of: promises[0]), handOver.acquire(5, of: promises[1]),
            handOver.acquire(2, of: promises[1]),
        ]
        #expect(taken == [true, true, false])
        handOver.drop(promises[1], "too large")
        let more = [handOver.acquire(6, of: promises[2]), handOver.acquire(1, of: promises[2])]
        #expect(more == [true, false])
        handOver.keep(promises[0])
        // Bytes that the broker has keep their room.
        #expect(handOver.acquire(1, of: promises[2]) == false)
        // It is not made any more.
        #expect(handOver.acquire(0, of: promises[1]) == false)
    }

    @Test("At the next broker only what that one does not keep is made again, and what was dropped stays dropped")
    func lost() {
        let promises = promises(4)
        var handOver = HandOver(promises, byteLimit: 10, deadline: 100)
        handOver.begin(keeping: [])
        for promise in promises { #expect(handOver.next(at: 0) == .make(promise)) }
        #expect(handOver.acquire(10, of: promises[0]) == true)
        handOver.keep(promises[0])
        handOver.keep(promises[1])
        handOver.drop(promises[2], "failed")
        // Until the next broker has listed what it keeps, the report is about the last one.
        #expect(handOver.kept == [promises[0], promises[1]])
        handOver.begin(keeping: [promises[1]])
        #expect(handOver.kept == [promises[1]])
        #expect(handOver.next(at: 0) == .make(promises[0]))
        #expect(handOver.acquire(10, of: promises[0]) == true)
        #expect(handOver.next(at: 0) == .make(promises[3]))
        #expect(handOver.next(at: 0) == .wait)
        #expect(handOver.dropped.keys.sorted() == [promises[2]])
    }

    @Test("At the deadline the rest is dropped, also what was not begun")
    func deadline() {
        let promises = promises(3)
        var handOver = HandOver(promises, deadline: 100)
        handOver.begin(keeping: [promises[0]])
        #expect(handOver.next(at: 99) == .make(promises[1]))
        #expect(handOver.next(at: 100) == .over)
        #expect(handOver.kept == [promises[0]])
        #expect(handOver.dropped.keys.sorted() == [promises[1], promises[2]])
        // Bytes that come too late have no effect.
        handOver.keep(promises[1])
        #expect(handOver.kept == [promises[0]])
    }

    @Test("The list of a board shows what the broker keeps")
    func listed() {
        var (kept, promised) = (Representation(), Representation())
        (kept.type, kept.provision) = ("public.html", .kept)
        (promised.type, promised.provision) = ("public.png", .promised)
        var (first, second) = (Item(), Item())
        (first.representations, second.representations) = ([promised, kept], [kept])
        let types = [["public.html", "public.png"], ["public.png", "public.html"], ["public.html"]]
        let expected = [HandOver.Promise(item: 0, representation: 0), HandOver.Promise(item: 1, representation: 1)]
        #expect(HandOver.kept(of: types, in: [first, second]).sorted() == expected)
    }

    @Test("The limits are 5 s and 64 MiB, and an addition leaves the other promises")
    func defaults() {
        #expect(HandOver.duration == 5_000 && HandOver.byteLimit == 64 << 20)
        let addition = HandOver.addition(to: 9)
        #expect(addition.handle == 9 && addition.keepsPromises == true)
        #expect(addition.requires == [Feature.additions.rawValue, Feature.handOver.rawValue])
    }
}
