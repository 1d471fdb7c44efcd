import PasteboardClient
import PasteboardTransport

/// Removes what `install` has written.
struct UninstallCommand: Command {
    static let syntax = CommandSyntax(
        "uninstall",
        "removes what 'pasteboard install' has written",
        options: [.prefix, .stage],
        broker: .none,
        examples: "pasteboard uninstall",
        exit: "0 if the files were removed; 4 if nothing is installed, or if a file could not be removed",
        files: [("PREFIX/share/pasteboard/manifest", "the list of the files")],
        notes: """
            Removes the files that the manifest lists, and the directories that 'pasteboard install' has created, if
            they are empty. A file that was changed or replaced since is left, and named on standard error. Prints the
            path of each file that it removes. A running broker, its contents and its configuration stay; 'pasteboard
            stop' ends the broker.
            """
    )

    private let prefix: String

    init(_ arguments: ParsedArguments) throws {
        prefix = try arguments.stagedPrefix()
    }

    func run(on loop: Loop) async throws -> CInt {
        var installation = try Installation(below: prefix)
        guard !installation.isEmpty else {
            throw CommandFailure(
                local: "nothing is installed below \(prefix), because there is no \(prefix)/\(Installation.manifest); "
                    + "write the options that 'pasteboard install' was given"
            )
        }
        for path in try installation.removeAll() { try StandardStreams.print(path: SystemString(path)) }
        for note in installation.notes { StandardStreams.remark(note) }
        return 0
    }
}
