import Glibc
import TestSupport
import Testing

/// `cat-toys` in one process and in two.
@Suite(.processes) struct CatToysProcessTests {
    private func toys(_ programs: PlayedProgram...) throws -> [String] {
        try programs.flatMap { program in
            try ["Tama", "Mike", "Kuro"].flatMap { try program.rows($0) }
        }
    }

    @Test("Between processes a toy moves in two phases: it arrives, and then it leaves (S74, S75)")
    func between() throws {
        let desk = try Desk()
        let (source, target) = (
            try PlayedProgram("cat-toys", at: desk), try PlayedProgram("cat-toys", "--toys", "Mike=bell", at: desk)
        )
        try target.play("register h", until: "registered h-Kuro")
        let before = Set(try toys(source, target))
        #expect(try source.drag("Tama 1", over: "h-Kuro 0") == "move")
        let lines = try source.play("lift", until: "outcome transferred move")
        // The toy has left already, so it cannot be dragged again.
        #expect(lines.contains("left Tama mouse"))
        let heard = try target.lines(until: "end")
        #expect(
            heard
                == [
                    "enter Kuro", "update Kuro 0 move", "perform Kuro 0 move", "arrived Kuro mouse Tama",
                    "end Kuro",
                ]
        )
        #expect(try source.rows("Tama") == ["ball", "feather"])
        #expect(try target.rows("Kuro") == ["mouse"])
        #expect(Set(try toys(source, target)) == before)
    }

    @Test("The first of several toys changes its owner, and the others stay (S68)", arguments: ["h", "me"])
    func several(target: String) throws {
        let desk = try Desk()
        let source = try PlayedProgram("cat-toys", at: desk)
        let other = try PlayedProgram("cat-toys", at: desk)
        try other.play("register h", until: "registered h-Kuro")
        try source.play("register me", until: "registered me-Kuro")
        try source.play("select Tama 2\nselect Tama 1\npress Tama 1\nhover \(target)-Kuro", until: "over move")
        // The move as a whole has failed, because only one toy was taken.
        #expect(try source.lift() == "failed refused")
        if target == "h" { try source.play("wait left Tama mouse\nsay done", until: "said done") }
        let house = target == "me" ? source : other
        #expect(try source.rows("Tama") == ["ball", "feather"])
        #expect(try house.rows("Kuro") == ["box", "mouse"])
    }

    @Test("A toy that may not leave its process stays, because a move is refused (S38)")
    func keep() throws {
        let desk = try Desk()
        let source = try PlayedProgram("cat-toys", "--keep", at: desk)
        let target = try PlayedProgram("cat-toys", at: desk)
        try target.play("register h", until: "registered h-Kuro")
        let before = try toys(source, target)
        #expect(try source.drag("Tama 0", over: "h-Kuro") == "cancel")
        #expect(try source.lift() == "cancelled")
        #expect(!(try target.lines(until: "end")).contains { $0.hasPrefix("perform") })
        #expect(try toys(source, target) == before)
    }

    @Test("The argument of --orphan has to be a cat")
    func noSuchOrphan() throws {
        let finished = try ProcessRunner(
            try ProcessRunner.program("cat-toys"),
            ["--orphan", "Rex"],
            environment: try Desk().environment
        ).finish()
        #expect(finished.exitCode == 2 && finished.errorText.hasPrefix("cat-toys: there is no cat Rex; there are Tama"))
    }

    @Test("A toy dropped on a cat without an owner is lost there, and stays in place (S72)", arguments: ["h", "me"])
    func orphan(target: String) throws {
        let desk = try Desk()
        let house = try PlayedProgram("cat-toys", "--orphan", "Kuro", at: desk)
        let other = try PlayedProgram("cat-toys", "--orphan", "Kuro", at: desk)
        try other.play("register h", until: "registered h-Kuro")
        try house.play("register me", until: "registered me-Kuro")
        let before = try toys(house, other)
        #expect(try house.drag("Tama 1", over: "\(target)-Kuro") == "move")
        let lines = try house.play("lift\nwait outcome failed refused\nsay over", until: "said over")
        #expect(!lines.contains { $0.hasPrefix("left") || $0.hasPrefix("moved") })
        try (target == "h" ? other : house).play("say then", until: "said then")
        #expect(try toys(house, other) == before)
    }

    @Test("A destination that dies before it has committed leaves the toy at its source (two phases)")
    func destinationDies() throws {
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

    @Test("A source that dies while its toy is loaded delivers none, and the destination reports it (S80)")
    func sourceDies() throws {
        let desk = try Desk()
        let source = try PlayedProgram("placeholders", "--van", "slow crate", at: desk)
        let house = try PlayedProgram("cat-toys", at: desk)
        try house.play("register h", until: "registered h-Kuro")
        #expect(try source.drag("van 0", over: "h-Kuro") == "copy")
        try source.play("lift", until: "asked crate")
        try source.kill()
        try house.play("wait loaded nothing Kuro\nwait end Kuro\nsay done", until: "said done")
        #expect(try house.rows("Kuro") == ["box"])
    }

    @Test(
        "However toys are dragged between two processes, no name is lost or made up (S75)",
        arguments: Seeds.fixed(75)
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let desk = try Desk()
        let houses = [
            try PlayedProgram("cat-toys", at: desk),
            try PlayedProgram("cat-toys", "--toys", "Mike=yarn,cork", at: desk),
        ]
        for (name, house) in zip(["a", "b"], houses) {
            try house.play("register \(name)", until: "registered \(name)-Kuro")
        }
        let before = try toys(houses[0], houses[1]).sorted()
        for _ in 0..<30 {
            let cats = ["Tama", "Mike", "Kuro"].shuffled(using: &generator)
            let (from, to) = (Int.random(in: 0...1, using: &generator), Int.random(in: 0...1, using: &generator))
            let row = Int.random(in: 0..<4, using: &generator)
            let (house, target) = (houses[from], "\(["a", "b"][to])-\(cats[1]) \(row)")
            let lines = try house.play("press \(cats[0]) \(row)\nsay pressed", until: "said pressed")
            guard lines.contains("began 1") else { continue }
            try house.play("hover \(target)\nlift\nwait outcome transferred move\nsay over", until: "said over")
            if from != to { try house.play("wait left\nsay left", until: "said left") }
        }
        let after = try toys(houses[0], houses[1]).sorted()
        #expect(after == before)
    }
}
