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

    @Test("Text is copied from one program's view to another's, which gets no local notifications")
    func copy() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite"])
            #expect(
                try source.rest() == ["proposal copy", "didEnd copy", "transferred", "outcome transferred(copy)"]
            )
            try expect(Self.entered + ["perform", "conclude", "loaded Yosemite", "end"], of: destination)
        }
    }

    @Test("Bytes can be loaded while the drop is performed, and neither before nor after (S52)")
    func anytime() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list", "anytime"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite", "waits"])
            try source.expect("proposal copy")
            try destination.wait(for: "early not-loadable-now")
            try source.order("go on")
            #expect(try source.rest() == ["didEnd copy", "transferred", "outcome transferred(copy)"])
            try destination.wait(for: "loaded Yosemite")
            try destination.wait(for: "late not-loadable-now")
        }
    }

    @Test("A view treats its own drag as local, by its name and by the empty one", arguments: ["list", ""])
    func local(target: String) throws {
        try BrokerProcess.run { broker in
            let view = try broker.libraryView(["name=list", "to=\(target)", "text=Yosemite", "restricted", "move"])
            let lines = try view.rest()
            let (destination, source) = (
                ["canHandle 1 local", "enter", "update", "perform", "conclude"], "transferred"
            )
            #expect(lines.filter(destination.contains) == destination)
            #expect(lines.contains(source))
            #expect(lines.contains("outcome transferred(move)"))
        }
    }

    @Test("A move to another process is possible if the source allows it", arguments: [true, false])
    func move(isAllowed: Bool) throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list", "move"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite"] + (isAllowed ? ["between"] : []))
            let moved = ["proposal move", "didEnd move", "transferred", "outcome transferred(move)"]
            let kept = ["proposal cancel", "didEnd cancel", "outcome cancelled"]
            #expect(try source.rest() == (isAllowed ? moved : kept))
            let taken = ["perform", "conclude", "loaded Yosemite", "end"]
            try expect(Self.entered + (isAllowed ? taken : ["exit", "end"]), of: destination)
        }
    }

    @Test("A restricted session finds no view of another process")
    func restricted() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.libraryView(["name=list"])
            try destination.expect("registered")
            let source = try broker.libraryView(["to=list", "text=Yosemite", "restricted"])
            #expect(try source.rest() == ["refused nothing-here", "didEnd cancel", "outcome cancelled"])
        }
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
