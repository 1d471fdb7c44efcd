import TestSupport
import Testing
import TypeIdentifiers

@testable import pasteboard

@Suite(.pure)
struct CompletionTests {
    /// The completion of a line whose words are separated by one space, with these names at the broker.
    private func completion(_ line: String) -> Completion {
        Completion(of: line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)) { names in
            switch names {
            case .boards: [("general", "1 item"), ("notes", "")]
            case .destinations: [("desk", "places")]
            case .limits: [("idle-exit=", ""), ("kept-pool=", "")]
            case .types(let board): [("type.of.\(board)", "")]
            case .machines: [("build", ""), ("web", "")]
            }
        }
    }

    @Test(
        "A word is completed by what its place in the command's table means",
        arguments: [
            ("co", ["copy", "connect", "completions"]), ("--v", ["--version"]), ("help ty", ["types"]),
            ("help types x", []),
            ("paste --bo", ["--board"]), ("paste --if", ["--if-change"]), ("unknown ", []), ("stop x", []),
            ("types -b ", ["general", "notes"]), ("types -b n", ["notes"]), ("types --board n", ["notes"]),
            ("types --board=n", ["--board=notes"]), ("types -bn", ["-bnotes"]), ("types -b=n", ["-b=notes"]),
            ("board ", ["release"]), ("board release ", ["general", "notes"]), ("board release x ", []),
            ("drag x --to ", ["desk"]), ("broker --limit k", ["kept-pool="]), ("broker --limit k=", []),
            ("paste -t t", ["type.of.general"]), ("paste -p -t t", ["type.of.primary"]),
            ("paste -t t --board notes", ["notes"]), ("paste --board notes -t ", ["type.of.notes"]),
            ("copy -t public.pn", ["public.png"]), ("copy -t image/pn", ["image/png"]),
            ("completions ", ["bash", "zsh", "fish"]), ("manual sto", ["stop"]),
            ("units ", ["socket", "service", "desktop"]),
            ("link ", ["build", "web"]), ("link w", ["web"]), ("link you@w", ["you@web"]),
            ("doctor --link b", ["build"]), ("link web ", []), ("watch -- x -", []), ("paste --item ", []),
            ("copy --name ", []),
        ]
    )
    func words(line: String, words: [String]) {
        let completion = completion(line)
        #expect(completion.kind == .words || words.isEmpty)
        #expect(completion.candidates.map(\.word) == words)
    }

    @Test(
        "Files, directories and programs are left to the shell",
        arguments: [
            ("copy ", .files), ("copy a b", .files), ("copy -- -", .files), ("copy -t png=", .values),
            ("copy --type=png=a", .values), ("offer -t png=", .words), ("paste -o ", .files),
            ("paste --into ", .directories), ("drag a", .files), ("watch -- ", .programs), ("watch -- sh x", .files),
            ("units --prefix=", .directories), ("manual --all ", .directories), ("broker --socket /", .files),
        ] as [(String, Completion.Kind)]
    )
    func kinds(line: String, kind: Completion.Kind) {
        let completion = completion(line)
        #expect(completion.kind == kind)
        #expect(completion.candidates.isEmpty)
    }

    @Test("Without a word, all commands are offered; where no operand is possible, all options of the command")
    func everything() {
        let commands = CommandLineTool.commands.map { $0.syntax.name }
        #expect(completion("").candidates.map(\.word) == commands + ["help", "--help", "--version"])
        #expect(Completion(of: []) { _ in [] }.candidates.count == commands.count + 3)
        let options = completion("types ").candidates
        #expect(options.map(\.word) == TypesCommand.syntax.options.flatMap(\.names))
        #expect(options.first?.meaning == TypesCommand.syntax.options.first?.meaning)
    }

    @Test("Machines are those that the files of ssh name, without patterns and hashed names")
    func machines() {
        let config = "# Host no\nHost build  web *.example.org !x\n  HostName build.example.org\nhost=last\n"
        let known = "web,10.0.0.1 ssh-rsa A\n|1|aa|bb ssh-rsa B\n[far]:2222 ssh-rsa C\n@revoked old ssh-rsa D\n# x\n"
        #expect(SSHFiles.machines(config: config, known: known) == ["build", "web", "last", "10.0.0.1"])
        #expect(SSHFiles.machines(config: "", known: "").isEmpty)
    }

    @Test("A type is written by its identifier or its MIME type, and a dynamic one only by the latter")
    func spellings() throws {
        #expect(Completion.spellings(of: .png).map(\.word) == ["public.png", "image/png"])
        let route = try #require(UniformType(mimeType: "application/x-route"))
        #expect(Completion.spellings(of: route).map(\.word) == ["application/x-route"])
    }
}
