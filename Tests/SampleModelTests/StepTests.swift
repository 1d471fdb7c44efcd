import FoundationEssentials
import PasteboardKit
import Stage
import TestSupport
import Testing

/// The parsing of script lines.
@Suite(.pure)
struct StepTests {
    @Test(
        "Each form of a step is read",
        arguments: [
            ("register b", .register("b")), ("unregister", .unregister), ("press 0", .press(Spot(.row(0)))),
            ("press Tama 2", .press(Spot(surface: "Tama", .row(2)))),
            ("press 30,40.5", .press(Spot(.point(Point(x: 30, y: 40.5))))), ("add 3", .add(Spot(.row(3)))),
            ("hover nowhere", .hover(.nowhere)), ("hover b", .hover(.destination("b", nil))),
            ("hover b 2", .hover(.destination("b", .row(2)))), ("hover here 1", .hover(.destination("", .row(1)))),
            ("hover b -5,7", .hover(.destination("b", .point(Point(x: -5, y: 7))))), ("lift", .lift),
            ("items", .items),
            ("cancel", .cancel), ("select 4", .select(Spot(.row(4)))), ("select none", .select(nil)),
            ("edit on", .edit(true)), ("enable off", .enable(false)),
            ("insert 1 Mount  Rainier", .insert(Spot(.row(1)), "Mount Rainier")),
            ("insert Tama 1 ball", .insert(Spot(surface: "Tama", .row(1)), "ball")),
            ("insert 1", .insert(Spot(.row(1)), "")), ("peek", .peek), ("break old vase", .spoil("old vase")),
            ("advance 40 old vase", .advance("old vase", 40)), ("seek b", .seek("b")),
            ("remove 2", .remove(Spot(.row(2)))), ("reload", .reload(surface: nil)),
            ("reload van", .reload(surface: "van")), ("release crate", .release("crate")), ("stop vase", .stop("vase")),
            ("image none", .image(nil)), ("image a b.png", .image("a b.png")), ("  show ", .show),
            ("wait outcome transferred", .wait("outcome transferred")), ("say so far", .say("so far")), ("quit", .quit),
        ] as [(String, Step)]
    )
    func forms(line: String, step: Step) throws {
        #expect(try Step(line: line) == step)
    }

    @Test("Empty lines and comments are not steps", arguments: ["", "  ", "# hover b", "#"])
    func comments(line: String) throws {
        #expect(try Step(line: line) == nil)
    }

    @Test("The error for an unknown word lists all known words")
    func unknown() {
        let error = #expect(throws: StepError.self) { try Step(line: "drop b") }
        #expect(
            error?.description.hasPrefix("there is no step `drop`; there are: register, unregister, press,") == true
        )
    }

    @Test(
        "The error for a step with wrong words contains its form",
        arguments: [
            "register", "press", "press x", "press -1", "press 1 2", "press 1,", "press 1,2,3", "press nan,1", "hover",
            "hover b c", "hover nowhere 2", "lift now", "select", "select 1,2", "edit", "edit maybe", "insert x",
            "peek 1", "break", "advance crate", "advance 101 crate", "advance 40",
            "seek",
            "seek b c", "items 1",
            "remove",
            "wait", "release", "show all", "quit 1",
        ]
    )
    func wrong(line: String) throws {
        let error = #expect(throws: StepError.self) { try Step(line: line) }
        let word = line.split(separator: " ")[0]
        let form = try #require(Step.forms.first { $0.key == word })
        #expect(error?.description.hasPrefix("`\(line)` is not of the form `\(word)") == true)
        #expect(error?.description.hasSuffix("\(form.value)`") == true)
    }

    @Test("The page about the examples lists each step, and no other")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = String(decoding: try Data(contentsOf: root.appending(path: "Examples/README.md")), as: UTF8.self)
        let rows = page.split(separator: "\n").drop { !$0.hasPrefix("| step |") }
        let table = rows.dropFirst(2).prefix { $0.hasPrefix("|") }
        // In the first column, text in code style is a step or continues the previous one.
        let steps = table.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
                String($0.element.prefix { $0 != " " })
            }
        }
        #expect(Set(steps.filter { $0 != "..." }) == Set(Step.forms.map(\.key)))
    }
}
