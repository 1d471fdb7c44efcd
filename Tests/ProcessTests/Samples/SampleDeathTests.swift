import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Programs that exit during a session (S80).
@Suite(.processes) struct SampleDeathTests {
    private func pair(
        _ name: String = "places"
    ) throws -> (
        desk: Desk, source: PlayedProgram, target: PlayedProgram
    ) {
        let desk = try Desk()
        let source = try PlayedProgram("placeholders", "--van", "slow crate,letter", at: desk)
        let target = try PlayedProgram(name, at: desk)
        try target.play("register b", until: "registered b")
        return (desk, source, target)
    }

    @Test("The placeholder of a dead source is removed, and what has arrived before stays", .tags(.f31))
    func placeholderOfTheDead() throws {
        let (desk, source, target) = try pair("placeholders")
        defer { withExtendedLifetime(desk) {} }
        try source.play("press van 0\nadd van 1", until: "added 2")
        try source.play("hover b-shelf", until: "over copy")
        try source.play("lift", until: "asked crate")
        try target.lines(until: "committed shelf 0 letter")
        try source.kill()
        try target.play("wait deleted shelf crate source-gone\nwait end shelf\nsay done", until: "said done")
        #expect(try target.rows("shelf") == ["letter"])
    }

    @Test(
        "A broker that dies ends all sessions; the destinations are registered at the next one, and nothing is changed",
        .tags(.f82)
    )
    func broker() throws {
        let (desk, source, target) = try pair()
        #expect(try source.drag("van 1", over: "b 2") == "copy")
        try desk.killBroker()
        #expect(try source.outcome() == "failed broker-restarted")
        try target.play("wait end\nsay so", until: "said so")
        #expect(try target.rows().count == 9)

        try source.play("seek b\nsay found", until: "said found")
        #expect(try source.drag("van 1", over: "b 2") == "copy")
        #expect(try source.lift() == "transferred copy")
        try target.lines(until: "end")
        #expect(try target.rows()[2] == "letter")
    }

    @Test("A destination that dies before it has committed leaves the toy at its source in a move", .tags(.f32))
    func destinationOfMove() throws {
        let desk = try Desk()
        let (source, target) = (try PlayedProgram("cat-toys", at: desk), try PlayedProgram("cat-toys", at: desk))
        try target.play("register h", until: "registered h-Kuro")
        #expect(try source.drag("Tama 0", over: "h-Kuro") == "move")
        // The stopped destination cannot handle the drop.
        try target.signal(SIGSTOP)
        try source.play("lift", until: "lifted move")
        try target.kill()
        #expect(try source.outcome() == "failed destination-gone")
        #expect(try source.rows("Tama") == ["ball", "mouse", "feather"])
    }
}
