import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

@testable import pasteboard

@Suite(.pure)
struct ArgumentTests {
    private static let syntax = CommandSyntax(
        "test",
        "tests",
        operands: "[FILE ...]",
        options: [
            .init("--type", short: "-t", value: "TYPE", "a type"), .init("--flag", short: "-f", "a flag"),
            .init("--other", short: "-o", "another"),
        ]
    )

    @Test(
        "Options are accepted in all their spellings, before and after operands",
        arguments: [
            ["-t", "a", "x", "-f"], ["-ta", "-f", "x"], ["-t=a", "-f", "x"], ["-fta", "x"],
            ["--type=a", "--flag", "x"],
            ["x", "--type", "a", "-f"],
            ["-f", "-t", "a", "--", "x"],
        ]
    )
    func spellings(arguments: [String]) throws {
        let parsed = try ParsedArguments(arguments.map { SystemString($0) }, for: Self.syntax)
        #expect(try parsed.value("--type") == "a")
        #expect(parsed.has("--flag"))
        #expect(!parsed.has("--other"))
        #expect(parsed.operands == ["x"])
    }

    @Test("After -- everything is an operand, a single dash always is one, and a value may begin with a dash")
    func operands() throws {
        #expect(try ParsedArguments(["--", "-f", "--"], for: Self.syntax).operands == ["-f", "--"])
        #expect(try ParsedArguments(["-"], for: Self.syntax).operands == ["-"])
        #expect(try ParsedArguments(["-t", "-f"], for: Self.syntax).values("--type") == ["-f"])
        #expect(try ParsedArguments(["--type="], for: Self.syntax).values("--type") == [""])
    }

    @Test("Operands and paths are bytes; any other value that is not UTF-8 is refused, not repaired")
    func bytes() throws {
        let odd = SystemString([0x6E, 0xFF])
        let long = SystemString("--type=") + odd
        for arguments in [["-t", odd, odd], [SystemString("-t") + odd, odd], [long, odd]] {
            let parsed = try ParsedArguments(arguments, for: Self.syntax)
            #expect(parsed.operands == [odd])
            #expect(try parsed.path("--type") == odd)
            #expect(parsed.bytes("--type") == [odd])
            let error = #expect(throws: CommandFailure.self) { try parsed.value("--type") }
            #expect(
                error?.exitCode == 2 && error?.text == #"invalid value 'n\xFF' of --type: it is not UTF-8"#
            )
            #expect(throws: CommandFailure.self) { try parsed.values("--type") }
        }
        let unknown = #expect(throws: CommandFailure.self) {
            try ParsedArguments([SystemString("--n") + odd], for: Self.syntax)
        }
        #expect(unknown?.exitCode == 2)
        #expect(try TypeArgument(giving: SystemString("text=") + odd).origin == odd)
        #expect(throws: CommandFailure.self) { try TypeArgument(giving: odd) }
    }

    @Test("An unknown option, one without its value and one given twice are refused")
    func refused() throws {
        for arguments in [["-x"], ["--typ"], ["-t"], ["--flag=1"], ["-fx"]] {
            #expect(throws: CommandFailure.self) {
                try ParsedArguments(arguments.map { SystemString($0) }, for: Self.syntax)
            }
        }
        let twice = try ParsedArguments(["-ta", "-tb"], for: Self.syntax)
        #expect(try twice.values("--type") == ["a", "b"])
        #expect(throws: CommandFailure.self) { try twice.value("--type") }
    }

    @Test(
        "The type of -t ends at the first equals sign that is not part of a parameter",
        arguments: [
            ("text/plain;charset=utf-8=notes.txt", "public.utf8-plain-text", "notes.txt"),
            ("text/plain;charset=utf-8", "public.utf8-plain-text", nil),
            ("public.png=a=b;c=d", "public.png", "a=b;c=d"), (".png=x", "public.png", "x"),
            ("text=x", "public.utf8-plain-text", "x"),
            ("com.example.own", "com.example.own", nil),
        ]
    )
    func typeAndOrigin(spelling: String, type: String, origin: String?) throws {
        let argument = try TypeArgument(giving: SystemString(spelling))
        #expect(argument.type.identifier == type)
        #expect(argument.origin?.text == origin)
    }

    @Test("A list of accepted types is limited, and counts each type that an extension has")
    func accepted() throws {
        func accepted(_ spellings: [String]) throws -> [UniformType] {
            let arguments = spellings.map { SystemString("--type=\($0)") }
            return try TypeArgument.accepted("--type", shown: "-t", of: ParsedArguments(arguments, for: Self.syntax))
        }
        let types = try TypeArgument.types(".ts")
        #expect(types.count > 1)
        #expect(try accepted(["png", ".ts"]) == [.png] + types)
        let most = Array(repeating: "png", count: WireLimits.accepts - 1)
        #expect(try accepted(most + ["png"]).count == WireLimits.accepts)
        let error = #expect(throws: CommandFailure.self) { try accepted(most + [".ts"]) }
        #expect(error?.exitCode == 2 && error?.text?.hasPrefix("-t names ") == true)
    }

    @Test("A family is accepted as a type to load, not as a type to offer")
    func families() throws {
        #expect(try TypeArgument.types("image") == [.image])
        #expect(try TypeArgument.types("image/*") == [.image])
        #expect(try TypeArgument.types("text") == [.text])
        #expect(try TypeArgument(giving: "png=x").type == .png)
        for spelling in ["image=x", "image", "image/*", "video/*=x", "audio", "pgn", "", "=x", "public.png="] {
            #expect(throws: CommandFailure.self) { try TypeArgument(giving: SystemString(spelling)) }
        }
    }

    @Test(
        "Durations have units, and without a unit are in seconds",
        arguments: [
            ("500ms", 500), ("2s", 2_000), ("5m", 300_000), ("1h", 3_600_000), ("3", 3_000), ("0.5s", 500),
            ("infinity", nil), ("1m30s", 90_000), ("1d", 86_400_000), ("10min", 600_000), ("1h 30 min", 5_400_000),
            (".5", 500), ("0.56m", 33_600), ("0.0001s", 1),
        ] as [(String, UInt64?)]
    )
    func durations(spelling: String, milliseconds: UInt64?) throws {
        #expect(try TimeoutArgument(spelling).milliseconds == milliseconds)
    }

    @Test(
        "An invalid duration is refused",
        arguments: [
            "", "s", "-1s", "1y", "1 5s", "1m30", ".s", "1.2.3s", "0", "inf", "nan", "1e3s", "99999999999999999999h",
        ]
    )
    func noDurations(spelling: String) {
        #expect(throws: CommandFailure.self) { try TimeoutArgument(spelling) }
    }
}
