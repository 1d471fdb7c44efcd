import PasteboardTransport
import TestSupport
import Testing
import TypeIdentifiers

@testable import pasteboard

/// The arguments of other clipboard programs.
@Suite(.pure) struct ShimRequestTests {
    /// Arguments, and the way in which their request differs from that of no arguments.
    struct Case: Sendable, CustomTestStringConvertible {
        let program: ShimProgram
        let arguments: String
        let change: @Sendable (inout ShimRequest) -> Void

        init(
            _ program: ShimProgram,
            _ arguments: String,
            _ change: @escaping @Sendable (inout ShimRequest) -> Void
        ) {
            self.program = program
            self.arguments = arguments
            self.change = change
        }

        var testDescription: String { "\(program.rawValue) \(arguments)" }
    }

    nonisolated private static let cases: [Case] = [
        Case(.pbcopy, "-pboard find") { $0.board = "find" },
        Case(.pbpaste, "-pboard general -Prefer rtf") { $0.types = ["public.rtf", "text"] },
        Case(.pbpaste, "-Prefer txt") { $0.types = ["text"] },

        Case(.wlCopy, "a word") { $0.operands = ["a", "word"] },
        Case(.wlCopy, "a -n word -- -o --") {
            $0.operands = ["a", "word", "-o", "--"]
            $0.trimsNewline = true
        },
        Case(.wlCopy, "-") { $0.operands = ["-"] },
        Case(.wlCopy, "-pot image/png") {
            $0.board = "primary"
            $0.loads = 1
            $0.types = ["image/png"]
        },
        Case(.wlCopy, "-otimage/png") {
            $0.loads = 1
            $0.types = ["image/png"]
        },
        Case(.wlCopy, "--type=text/plain;charset=utf-8 --prim") {
            $0.types = ["text/plain;charset=utf-8"]
            $0.board = "primary"
        },
        Case(.wlCopy, "--foreground --type text/plain --seat seat0") {
            $0.types = ["text/plain"]
            $0.staysInForeground = true
        },
        Case(.wlCopy, "--clear") { $0.actions = [.clear] },
        Case(.wlCopy, "--sensitive") { $0.isSensitive = true },
        Case(.wlPaste, "-np") {
            $0.endsLine = false
            $0.board = "primary"
        },
        Case(.wlPaste, "--list-types") { $0.actions = [.types] },
        Case(.wlPaste, "-t text -w cliphist -n --store") {
            $0.types = ["text"]
            $0.actions = [.watch]
            $0.operands = ["cliphist", "-n", "--store"]
            $0.endsLine = false
        },
        Case(.wlPaste, "--version") { $0.actions = [.version] },

        Case(.xclip, "-selection clipboard") { $0.board = "general" },
        Case(.xclip, "-sel c -o") {
            $0.board = "general"
            $0.actions = [.output]
        },
        Case(.xclip, "-se clipboard -sel Secondary -o -i") { $0.board = "secondary" },
        Case(.xclip, "-t TARGETS -out -d :0 -noutf8") {
            $0.types = ["TARGETS"]
            $0.actions = [.output]
        },
        Case(.xclip, "-loops 0") { $0.loads = nil },
        Case(.xclip, "-l 3 -f -r -quiet file -") {
            $0.loads = 3
            $0.printsInput = true
            $0.trimsNewline = true
            $0.staysInForeground = true
            $0.operands = ["file", "-"]
        },
        Case(.xclip, "-quiet -silent") { $0.staysInForeground = false },
        Case(.xclip, "-v") { $0.actions = [.version] },
        Case(.xclip, "-wait 50 -alt-text words -t image/png") {
            $0.loads = 1
            $0.alternative = "words"
            $0.types = ["image/png"]
        },

        Case(.xsel, "-bo") {
            $0.board = "general"
            $0.actions = [.output]
        },
        Case(.xsel, "--nodetach -i -b -t 500 -l log") {
            $0.board = "general"
            $0.actions = [.input]
            $0.staysInForeground = true
            $0.timeout = 500
        },
        Case(.xsel, "-a --secondary -p") {
            $0.actions = [.input]
            $0.appends = true
        },
        Case(.xsel, "-io") { $0.actions = [.input, .output] },
        Case(.xclip, "-selection buffer-cut") { $0.board = "buffer-cut" },
        Case(.xsel, "-b -sp") { $0.board = "general" },
        Case(.xsel, "-sp") { _ in },
        Case(.xsel, "--trim -b --name x -m y") {
            $0.trimsNewline = true
            $0.board = "general"
        },
        Case(.xsel, "-k") { $0.actions = [.keep] },
        Case(.xsel, "--help") { $0.actions = [.help] },
    ]

    @Test("Options of each program are read in its spellings", arguments: cases)
    func requests(of tested: Case) throws {
        var expected = try ShimRequest([], for: tested.program)
        tested.change(&expected)
        let arguments = tested.arguments.split(separator: " ")
        #expect(try ShimRequest(arguments.map { SystemString(String($0)) }, for: tested.program) == expected)
    }

    @Test("Without options a program uses its own pasteboard and does what its name says")
    func defaults() throws {
        for (program, board, action) in [
            (ShimProgram.pbcopy, "general", ShimRequest.Action.input), (.pbpaste, "general", .output),
            (.wlCopy, "general", .input), (.wlPaste, "general", .output), (.xclip, "primary", .input),
        ] {
            let request = try ShimRequest([], for: program)
            #expect(request.board == board && request.actions == [action])
            #expect(request.endsLine == (program == .wlPaste))
        }
        let xsel = try ShimRequest([], for: .xsel)
        #expect(xsel.board == "primary" && xsel.actions.isEmpty)
        #expect(ShimProgram.names == ["pbcopy", "pbpaste", "wl-copy", "wl-paste", "xclip", "xsel"])
    }

    @Test(
        "Wrong options are refused with 2",
        arguments: [
            (ShimProgram.xclip, "-zz", "option '-zz' is not supported; xclip -help lists the supported ones"),
            (.xsel, "-bx", "option '-x' is not supported; xsel --help lists the supported ones"),
            (.wlCopy, "--zz=1", "option '--zz' is not supported; wl-copy --help lists the supported ones"),
            (.wlCopy, "-é", "option '-é' is not supported; wl-copy --help lists the supported ones"),
            (.wlPaste, "--primary=1", "option --primary takes no value"),
            (.wlPaste, "-w", "option -w needs a value"),
            (.wlPaste, "word", "unexpected argument 'word'; see wl-paste --help"),
            (.xclip, "-sel x", "there is no selection 'x'; write clipboard, primary, secondary or buffer-cut"),
            (.xclip, "-loops x", "invalid number 'x' of -loops; write 1 or more, or 0 for no limit"),
            (.pbcopy, "-Prefer rtf", "option '-Prefer' is not supported; pbcopy -help lists the supported ones"),
            (.pbcopy, "file", "unexpected argument 'file'; see pbcopy -help"),
        ]
    )
    func refusals(program: ShimProgram, arguments: String, text: String) throws {
        let arguments = arguments.split(separator: " ").map { SystemString(String($0)) }
        let failure = #expect(throws: CommandFailure.self) { try ShimRequest(arguments, for: program) }
        #expect(failure?.exitCode == 2 && failure?.text == text)
    }

    @Test("Spellings of plain text are one type, and others become identifiers, which name no file")
    func types() {
        for spelling in [
            "UTF8_STRING", "STRING", "TEXT", "COMPOUND_TEXT", "text/plain", "text/plain;charset=utf-8",
            "text/plain; charset=UTF-8", "Text/Plain;charset=\"utf-8\"", "text/plain;charset=us-ascii",
        ] {
            #expect(ShimTypes.argument(spelling) == "text")
        }
        #expect(ShimTypes.argument("image") == "image")
        for spelling in ["pgn", "HTML Format", "a b"] {
            let type = ShimTypes.argument(spelling).flatMap(UniformType.fromUserSpelling)
            #expect(type?.names == [spelling])
        }
        for spelling in ["./x", "", "public.png=/etc/passwd", "A=b"] { #expect(ShimTypes.argument(spelling) == nil) }
        for spelling in [
            "text/uri-list", "image/png", "text/html", "text/plain;charset=iso-8859-1", ".png", "public.png",
        ] {
            #expect(ShimTypes.argument(spelling) == UniformType.fromUserSpelling(spelling)?.identifier)
        }
    }

    @Test("The documentation lists all options of each program, and no others")
    func documentation() throws {
        let table = try Document("Sources/PasteboardKit/PasteboardKit.docc/CommandReference.md").table("effect")
            .filter { $0.count == 5 }.dropFirst()
        let columns: [[ShimProgram]] = [[.pbcopy, .pbpaste], [.wlCopy, .wlPaste], [.xclip], [.xsel]]
        for (index, programs) in columns.enumerated() {
            let words = table.flatMap { $0[index + 1].split { $0 == " " || $0 == "," } }
            let documented = Set(words.filter { $0.hasPrefix("-") }.map(String.init))
            let options = ShimOption.table.filter { !Set($0.programs).isDisjoint(with: programs) }
            #expect(documented == Set(options.flatMap(\.names)))
        }
    }
}
