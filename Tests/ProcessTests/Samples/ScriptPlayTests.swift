import TestSupport
import Testing

/// Whole scripts and their complete output: the same script always prints the same lines.
@Suite(.processes) struct ScriptPlayTests {
    @Test("Each program of a play prints these lines, and exits successfully", arguments: plays)
    func lines(play: ScriptPlay) throws {
        let desk = try Desk()
        let runners = try play.parts.enumerated().map { try $1.start(at: desk, as: "script-\($0)") }
        for (part, runner) in zip(play.parts, runners) {
            let finished = try runner.finish()
            let lines = finished.text.split(separator: "\n").map(String.init)
            #expect(lines == part.lines)
            #expect(finished.exitCode == 0 && finished.errorText.isEmpty, "\(finished.errorText)")
        }
    }

    /// The scripts synchronize by `seek` and `wait`, whichever program is faster.
    nonisolated static let plays = [
        ScriptPlay(
            "a copy between tables that are only a destination and only a source (S53, S76, S77, S79)",
            ScriptPart(
                "places",
                "--only",
                "drop",
                script: "press 0\nregister b\nwait end\npeek\nwait peeked\nshow",
                lines: """
                    ready
                    began nothing
                    registered b
                    can-handle yes
                    enter
                    update 1 copy insert
                    perform 1 copy
                    inserted 1 Sequoia
                    end
                    peeked nothing not-loadable-now
                    rows 10
                    row 0 Yosemite
                    row 1 Sequoia
                    row 2 Yellowstone
                    row 3 Theodore Roosevelt
                    row 4 Sequoia
                    row 5 Pinnacles
                    row 6 Mount Rainier
                    row 7 Mammoth Cave
                    row 8 Great Basin
                    row 9 Grand Canyon
                    quit
                    """
            ),
            // The script ends with the outcome of its drop.
            ScriptPart(
                "places",
                "--only",
                "drag",
                script: "register a\nseek b\npress 3\nitems\nhover a 1\nhover b 1\nlift\nwait outcome\nremove 2",
                lines: """
                    ready
                    registered a
                    found b
                    will-begin
                    began 1
                    item 0 public.plain-text Sequoia
                    over cancel
                    over copy
                    did-end
                    lifted copy
                    asked Sequoia
                    transferred
                    outcome transferred copy
                    removed 2 Theodore Roosevelt
                    quit
                    """
            )
        ),
        ScriptPlay(
            "rows of the table itself, as editing begins, to the end, and after rows have changed (S5, S40, S78)",
            ScriptPart(
                "places",
                script: """
                    press 0
                    hover here 2
                    edit on
                    hover here 2
                    lift
                    wait outcome
                    wait end
                    press 0
                    hover here
                    lift
                    wait outcome
                    wait end
                    press 0
                    hover here 4
                    remove 5
                    lift
                    wait end
                    """,
                lines: """
                    ready
                    will-begin
                    began 1
                    can-handle yes
                    enter
                    update 2 cancel
                    over cancel
                    editing on
                    update 2 move insert
                    over move
                    did-end
                    lifted move
                    can-move 0
                    moved 0 2 Yosemite
                    outcome transferred move
                    end
                    will-begin
                    began 1
                    can-handle yes
                    enter
                    update empty move insert
                    over move
                    did-end
                    lifted move
                    perform empty move
                    moved 0 8 Yellowstone
                    outcome transferred move
                    end
                    will-begin
                    began 1
                    can-handle yes
                    enter
                    update 4 move insert
                    over move
                    removed 5 Mammoth Cave
                    did-end
                    lifted move
                    perform 4 move
                    moved nothing
                    outcome cancelled
                    end
                    quit
                    """
            )
        ),
        ScriptPlay(
            "a toy that leaves for another process, and one without a name (S14)",
            ScriptPart(
                "cat-toys",
                "--toys",
                "Kuro=box",
                script: "insert Mike 7\npress Mike 0\nremove Mike 0\nregister h\nwait end",
                lines: """
                    ready
                    inserted Mike 0 \("")
                    began nothing
                    removed Mike 0 \("")
                    registered h-Tama
                    registered h-Mike
                    registered h-Kuro
                    enter Kuro
                    update Kuro 0 move
                    perform Kuro 0 move
                    arrived Kuro ball Tama
                    end Kuro
                    quit
                    """
            ),
            ScriptPart(
                "cat-toys",
                "--toys",
                "Tama=mouse,ball/Mike=ball",
                script: "seek h-Kuro\npress Tama 1\nitems\nhover h-Kuro 0\nlift\nwait outcome\nshow",
                lines: """
                    ready
                    found h-Kuro
                    will-begin Tama
                    began 1
                    item 0 public.plain-text,org.example.cat-toys.origin ball
                    over move
                    did-end Tama
                    lifted move
                    asked ball
                    transferred Tama
                    left Tama ball
                    outcome transferred move
                    rows Tama 1
                    row Tama 0 mouse
                    rows Mike 1
                    row Mike 0 ball
                    rows Kuro 0
                    quit
                    """
            )
        ),
        ScriptPlay(
            "parcels that are there already (S62)",
            ScriptPart(
                "placeholders",
                "--van",
                "letter,slow crate,book",
                script: """
                    register x
                    select van 0
                    select van 2
                    press van 2
                    hover x-shelf
                    lift
                    wait outcome
                    wait end
                    """,
                lines: """
                    ready
                    registered x-van
                    registered x-shelf
                    selected 1
                    selected 2
                    will-begin van
                    began 2
                    can-handle shelf yes
                    enter shelf
                    update shelf empty copy insert
                    over copy
                    did-end van
                    lifted copy
                    perform shelf empty copy
                    inserted shelf 0 letter
                    inserted shelf 1 book
                    transferred van
                    outcome transferred copy
                    end shelf
                    quit
                    """
            )
        ),
        ScriptPlay(
            "a picture that finds back to where it was (S36), and drags that do not begin",
            ScriptPart(
                "image-drop",
                script: "press 50,50\nitems\nhover here 5,5\nhover here 40,40.5\nlift\nwait outcome\nwait end\nshow\n"
                    + "press 5,5\nenable off\npress 50,50\nenable on\nimage none\npress 50,50",
                lines: """
                    ready
                    will-begin
                    began 1
                    item 0 public.png
                    can-handle yes
                    enter
                    feedback 5.0,5.0 outside
                    update cancel
                    over cancel
                    feedback 40.0,40.5 inside
                    update move
                    over move
                    will-end move
                    did-end move
                    lifted move
                    perform 1
                    shown public.png 67
                    feedback 40.0,40.5 inside
                    conclude
                    transferred
                    outcome transferred move
                    end
                    shown public.png 67
                    began nothing
                    enabled off
                    began nothing
                    enabled on
                    shown nothing
                    began nothing
                    quit
                    """
            )
        ),
        ScriptPlay(
            "steps at the wrong time",
            ScriptPart(
                "places",
                script: """
                    items
                    press 99
                    press 0
                    press 1
                    hover nobody 1
                    hover nowhere
                    lift
                    lift
                    add 1
                    wait outcome
                    remove 9
                    register b
                    register c
                    unregister
                    register c
                    """,
                lines: """
                    ready
                    failed nothing-here: nothing is held; press something first
                    began nothing
                    will-begin
                    began 1
                    failed refused: there is a drag already; let go of it, and wait for its outcome
                    failed nothing-here: there is no destination nobody
                    over nothing
                    did-end
                    lifted cancel
                    outcome cancelled
                    failed nothing-here: nothing is held; press something first
                    failed nothing-here: nothing is held; press something first
                    no row 9
                    registered b
                    failed invalid-argument: the view cannot be registered as c: it is already registered as b; \
                    unregister it first, or register an enclosing view
                    unregistered
                    registered c
                    quit
                    """
            )
        ),
        ScriptPlay(
            "white space, the ends of lines, and characters that are none of a line",
            ScriptPart(
                "places",
                script: "\tselect\t 1 \r\n# a note\r\n \r\nsay a\u{2028}b \u{202E}c\u{7}\nsay Ōsaka 大阪 🏯",
                lines: """
                    ready
                    selected 1
                    said a b ?c?
                    said Ōsaka 大阪 🏯
                    quit
                    """
            )
        ),
    ]
}

/// The part of one program in a play: its script, and all lines that it prints.
struct ScriptPart: Sendable {
    let program: String
    let arguments: [String]
    let script: String
    let lines: [String]

    init(_ program: String, _ arguments: String..., script: String, lines: String) {
        self.program = program
        self.arguments = arguments
        self.script = script
        self.lines = lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Starts the program with the script, in a desk's directory.
    func start(at desk: Desk, as name: String) throws -> ProcessRunner {
        try desk.directory.write(script, to: name)
        return try ProcessRunner(
            try ProcessRunner.program(program),
            arguments + ["--script", name],
            environment: desk.environment,
            directory: desk.directory.path
        )
    }
}

/// Scripts that are played at the same time, each by a separate process.
struct ScriptPlay: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parts: [ScriptPart]

    init(_ name: String, _ parts: ScriptPart...) {
        testDescription = name
        self.parts = parts
    }
}
