import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

/// A once-and-kept representation between real processes.
@Suite(.processes) struct KeptOnceTests {
    @Test("Loads share one ask, late ones too, whichever of them dies, and the bytes outlive their source")
    func shared() throws {
        try BrokerProcess.run { broker in
            let source = try broker.source("once")
            let early = try broker.destination("hold", "credit=1000")
            try source.expect("asked")
            // More than any credit window of a destination, so that the source has to be ahead of them.
            try source.order("send 3000000", expecting: "sent 3000000")
            try early.wait(for: "answered")
            let late = try broker.destination()
            try late.wait(for: "answered")
            let doomed = try broker.destination()
            try doomed.wait(for: "answered")
            try doomed.kill()
            try source.order("send 1", expecting: "sent 3000001")
            try source.order("end", expecting: "ended")
            #expect(try late.outcome() == "done 3000001 intact")
            try source.kill()
            #expect(try broker.destination().outcome() == "done 3000001 intact")
            try broker.destination("takes-descriptor").expect("passed 3000001 sealed")
            try early.order("take 3000001")
            #expect(try early.outcome() == "done 3000001 intact")
            #expect(try broker.connect().list().items.first?.representations.first?.provision == .kept)
        }
    }

    @Test("A source that dies during the ask fails every load, and none of its bytes stay")
    func sourceDies() throws {
        try BrokerProcess.run { broker in
            try broker.expectService()
            let before = try broker.openDescriptorCount()
            let source = try broker.source("once")
            let loads = [try broker.destination(), try broker.destination("hold", "credit=10")]
            try source.expect("asked")
            try source.order("send 1000000", expecting: "sent 1000000")
            for load in loads { try load.wait(for: "answered") }
            try source.kill()
            for load in loads { #expect(try load.outcome() == "failed source-gone") }
            for load in loads { try load.finish() }
            let held = try broker.connect().status().compactMap(\.counter).first { $0.name == "bytes-kept" }
            #expect(held?.value == 0)
            try broker.expectDescriptors(backTo: before)
            try broker.expectService()
        }
    }

    @Test("Bytes beyond the pool fail the load, and the source continues to serve others", .tags(.f62))
    func noSpace() throws {
        try BrokerProcess.run(limits: ["kept-pool=1MiB"]) { broker in
            let source = try broker.source("once", "serve=2000000")
            #expect(try broker.destination().outcome() == "failed no-space")
            try source.wait(for: "cancelled")
            #expect(try broker.destination().outcome() == "failed no-space")
            try broker.expectService()
        }
    }
}
