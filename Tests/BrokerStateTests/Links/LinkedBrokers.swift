import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport

/// Brokers with links between them. A link watches the general board of each side, and writes what it sees there to
/// the other side; the brokers decide. It passes on what it has seen in turns, so that tests choose the order.
final class LinkedBrokers {
    let brokers: [StateHarness]
    private var links: [Link] = []

    /// One direction of a link.
    private final class Link {
        let from: Int
        let to: Int
        let watcher: PeerID
        let writer: PeerID
        var hasChange = true
        /// Whether it is only to write again what was perhaps refused before.
        var isRepetition = false
        /// The write at the other side that is still there, and its origin.
        var written: (stream: UInt64, origin: Origin)?

        init(from: Int, to: Int, watcher: PeerID, writer: PeerID) {
            (self.from, self.to, self.watcher, self.writer) = (from, to, watcher, writer)
        }
    }

    /// - Parameter links: the indices of the two brokers of each.
    init(_ count: Int, links: [(Int, Int)]) {
        brokers = (0..<count).map { StateHarness(epoch: 100 + UInt64($0)) }
        for (one, other) in links { link(one, other) }
    }

    /// Every broker with the next one, and the last with the first.
    static func ring(_ count: Int) -> LinkedBrokers {
        LinkedBrokers(count, links: (0..<count).map { ($0, ($0 + 1) % count) })
    }

    /// Every broker with the first one.
    static func star(_ count: Int) -> LinkedBrokers {
        LinkedBrokers(count, links: (1..<count).map { (0, $0) })
    }

    func link(_ one: Int, _ other: Int) {
        for (from, to) in [(one, other), (other, one)] {
            let (watcher, writer) = (brokers[from].connectLink("link"), brokers[to].connectLink("link"))
            _ = brokers[from].watch(from: watcher)
            links.append(Link(from: from, to: to, watcher: watcher, writer: writer))
        }
    }

    func unlink(_ one: Int, _ other: Int) {
        let ended = links.filter { Set([$0.from, $0.to]) == [one, other] }
        links.removeAll { link in ended.contains { $0 === link } }
        for link in ended {
            brokers[link.from].disconnect(link.watcher)
            brokers[link.to].disconnect(link.writer)
        }
    }

    /// The origin of each board's contents as a link sees them; nil if nothing of them can be loaded.
    var shown: [Origin?] {
        brokers.map { broker in
            let link = broker.connectLink()
            defer { broker.disconnect(link) }
            let listed = broker.list(from: link)
            return listed.isLoadable ? listed.first(Contents.self)?.origin : nil
        }
    }

    // MARK: Turns

    /// Lets one link pass on what it has seen last. False if there is none that has seen something.
    ///
    /// - Parameter choose: selects one of so many.
    func turn(_ choose: (Int) -> Int) -> Bool {
        for link in links where brokers[link.from].take(link.watcher).kinds.contains(.change) {
            (link.hasChange, link.isRepetition) = (true, false)
        }
        let ready = links.filter(\.hasChange)
        guard !ready.isEmpty else { return false }
        pass(by: ready[choose(ready.count)])
        return true
    }

    /// Lets the links pass on everything. False if that takes more turns than any storm needs.
    func settle(_ choose: (Int) -> Int = { _ in 0 }) -> Bool {
        for _ in 0..<10_000 where !turn(choose) {
            // A board is reported at most every 100 ms.
            for broker in brokers { broker.advance(by: 100) }
            if !turn(choose) { return true }
        }
        return false
    }

    private func pass(by link: Link) {
        let target = brokers[link.to]
        let listed = brokers[link.from].list(from: link.watcher)
        let contents = listed.first(Contents.self)
        let isRepetition = link.isRepetition
        (link.hasChange, link.isRepetition) = (false, false)
        if let written = link.written, !target.take(link.writer).on(written.stream).ends.isEmpty { link.written = nil }
        if listed.isLoadable, let origin = contents?.origin {
            guard link.written?.origin != origin else { return }
            let stream = target.write([Item("a")], origin: origin, from: link.writer)
            if target.take(link.writer).on(stream).first(Committed.self) != nil {
                link.written = (stream, origin)
                return
            }
        }
        if let written = link.written { target.send(Cancel(), on: written.stream, from: link.writer) }
        link.written = nil
        guard contents?.handle == nil else { return }
        if let origin = contents?.origin {
            target.clear(origin: origin, from: link.writer)
            return
        }
        // The board has lost its contents. Those of the other side may have been refused before for their sake.
        guard !isRepetition else { return }
        for other in links where (other.from, other.to) == (link.to, link.from) && !other.hasChange {
            (other.hasChange, other.isRepetition) = (true, true)
        }
    }
}

extension [Frame] {
    /// Whether a listed representation is kept or promised.
    fileprivate var isLoadable: Bool {
        all(Item.self).contains { $0.representations.contains { $0.provision != .gone } }
    }
}
