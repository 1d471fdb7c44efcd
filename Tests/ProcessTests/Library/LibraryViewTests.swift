import TestSupport
import Testing

/// Programs with views as processes. One is the source of drags, one the destination.
@Suite(.processes) struct LibraryViewTests {
    private static let entered = ["canHandle 1 foreign", "enter", "update"]

    private func expect(
        _ lines: [String],
        of peer: PeerProcess,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for line in lines { try peer.expect(line, sourceLocation: sourceLocation) }
    }

    @Test("A killed source's session leaves the view under it", .tags(.f31))
    func sourceKilled() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite", "waits"])
            try source.expect("proposal copy")
            try expect(Self.entered, of: destination)
            try source.kill()
            try expect(["exit", "end"], of: destination)
        }
    }

    @Test("A destination killed during a drop moves nothing, even after it has loaded everything", .tags(.f32))
    func destinationKilled() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list", "move", "waits"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite", "between"])
            try destination.wait(for: "loaded Yosemite")
            try destination.kill()
            #expect(try source.rest() == ["proposal move", "didEnd move", "outcome failed destination-gone"])
        }
    }
}
