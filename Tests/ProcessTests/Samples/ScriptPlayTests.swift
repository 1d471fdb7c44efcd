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
            "a copy from one table to another (S8, S9, S16, S29, S42, S47, S76)",
            ScriptPart(
                "places",
                script: "register b\nwait end\nremove 3\nremove 3\nremove 3\nremove 3\nremove 3\nremove 3\nshow",
                lines: """
                    ready
                    registered b
                    can-handle yes
                    enter
                    update 1 copy insert
                    perform 1 copy
                    inserted 1 Sequoia
                    end
                    removed 3 Theodore Roosevelt
                    removed 3 Sequoia
                    removed 3 Pinnacles
                    removed 3 Mount Rainier
                    removed 3 Mammoth Cave
                    removed 3 Great Basin
                    rows 4
                    row 0 Yosemite
                    row 1 Sequoia
                    row 2 Yellowstone
                    row 3 Grand Canyon
                    quit
                    """
            ),
            // The script ends with the outcome of its drop.
            ScriptPart(
                "places",
                script: "seek b\npress 3\nitems\nhover b 1\nlift",
                lines: """
                    ready
                    found b
                    will-begin
                    began 1
                    item 0 public.plain-text Sequoia
                    over copy
                    did-end
                    lifted copy
                    asked Sequoia
                    transferred
                    outcome transferred copy
                    quit
                    """
            )
        ),
        ScriptPlay(
            "the first row of an empty table (S44)",
            ScriptPart(
                "places",
                script: String(repeating: "remove 0\n", count: 9) + "show\nregister b\nwait end\nshow",
                lines: """
                    ready
                    removed 0 Yosemite
                    removed 0 Yellowstone
                    removed 0 Theodore Roosevelt
                    removed 0 Sequoia
                    removed 0 Pinnacles
                    removed 0 Mount Rainier
                    removed 0 Mammoth Cave
                    removed 0 Great Basin
                    removed 0 Grand Canyon
                    rows 0
                    registered b
                    can-handle yes
                    enter
                    update empty copy insert
                    update 0 copy insert
                    perform 0 copy
                    inserted 0 Yellowstone
                    end
                    rows 1
                    row 0 Yellowstone
                    quit
                    """
            ),
            ScriptPart(
                "places",
                script: "seek b\npress 1\nhover b\nhover b 0\nlift",
                lines: """
                    ready
                    found b
                    will-begin
                    began 1
                    over copy
                    over copy
                    did-end
                    lifted copy
                    asked Yellowstone
                    transferred
                    outcome transferred copy
                    quit
                    """
            )
        ),
        ScriptPlay(
            "a row of the table itself, as editing begins (S28, S40, S54)",
            ScriptPart(
                "places",
                script: "press 0\nhover here 2\nedit on\nhover here 2\nlift\nwait outcome\nwait end",
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
                    quit
                    """
            )
        ),
        ScriptPlay(
            "a toy that leaves for another process (S14, S65, S74)",
            ScriptPart(
                "cat-toys",
                "--toys",
                "Kuro=box",
                script: "register h\nwait end",
                lines: """
                    ready
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
            "toys without a name, and a toy on its own cat (S11, S66, S67)",
            ScriptPart(
                "cat-toys",
                "--toys",
                "Tama=ball,bell,ball",
                script: "insert Mike 7\npress Mike 0\npress Tama 0\nhover here 1\nlift\nwait outcome\nwait end\nshow",
                lines: """
                    ready
                    inserted Mike 0 \("")
                    began nothing
                    will-begin Tama
                    began 1
                    enter Tama
                    update Tama 1 move
                    over move
                    did-end Tama
                    lifted move
                    perform Tama 1 move
                    asked ball
                    moved ball Tama Tama
                    transferred Tama
                    outcome transferred move
                    end Tama
                    rows Tama 2
                    row Tama 0 bell
                    row Tama 1 ball
                    rows Mike 1
                    row Mike 0 \("")
                    rows Kuro 0
                    quit
                    """
            )
        ),
        ScriptPlay(
            "parcels that are there already (S45, S61, S62)",
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
            "a parcel that breaks on its way (S50, S59)",
            ScriptPart(
                "placeholders",
                script: "register h\nwait end\nshow",
                lines: """
                    ready
                    registered h-van
                    registered h-shelf
                    can-handle shelf yes
                    enter shelf
                    update shelf empty copy insert
                    perform shelf empty copy
                    waiting shelf crate
                    deleted shelf crate source-failed
                    end shelf
                    rows van 4
                    row van 0 letter
                    row van 1 slow crate
                    row van 2 failing vase
                    row van 3 book
                    rows shelf 0
                    quit
                    """
            ),
            ScriptPart(
                "placeholders",
                script: "seek h-shelf\npress van 1\nhover h-shelf\nlift\nwait asked crate\nbreak crate",
                lines: """
                    ready
                    found h-shelf
                    will-begin van
                    began 1
                    over copy
                    did-end van
                    lifted copy
                    asked crate
                    broken crate
                    outcome failed source-failed
                    quit
                    """
            )
        ),
        ScriptPlay(
            "a picture that finds back to where it was (S34, S36, S56)",
            ScriptPart(
                "image-drop",
                script: "press 50,50\nitems\nhover here 5,5\nhover here 40,40.5\nlift\nwait outcome\nwait end\nshow",
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
                    press 0
                    press 1
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
                    will-begin
                    began 1
                    failed refused: there is a drag already; let go of it, and wait for its outcome
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
