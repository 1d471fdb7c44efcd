import Glibc

extension Stage {
    /// Runs the main function of a program: reads the command line, plays the script and exits with its exit code.
    ///
    /// - Parameters:
    ///   - name: the program's name.
    ///   - options: the program's own options with a value.
    ///   - switches: the program's own options without a value.
    ///   - usage: the program's own part of the usage message.
    ///   - help: additional lines for `--help`.
    ///   - hint: a line for a user at a terminal, shown when the program waits for steps.
    ///   - make: makes the program. An error is reported as an error of the command line.
    public static func main(
        _ name: String,
        options: Set<String> = [],
        switches: Set<String> = [],
        usage: String,
        help: String = "",
        hint: String = "",
        make: (StageArguments, TraceLog) throws(StepError) -> any StageProgram
    ) async -> Never {
        let usage = "usage: \(name) \(usage)\n       [--script FILE] [--timeout SECONDS]\n"
        if ["--help", "-h"].contains(where: CommandLine.arguments.dropFirst().contains) {
            StandardStreams.say(usage + help + scriptHelp, on: STDOUT_FILENO)
            exit(0)
        }
        let trace = TraceLog()
        do {
            let arguments = try StageArguments(
                CommandLine.arguments.dropFirst(),
                options: options,
                switches: switches
            )
            let timeout = try arguments.timeout()
            let program = try make(arguments, trace)
            try arguments.openScript()
            if isatty(STDIN_FILENO) == 1 { StandardStreams.say("\(name): \(waiting)\n\(hint)", on: STDERR_FILENO) }
            exit(await Stage(program, name: name, timeout: timeout, trace: trace).play())
        } catch {
            StandardStreams.say("\(name): \(error)\n\(usage)", on: STDERR_FILENO)
            exit(2)
        }
    }

    private static let scriptHelp = """

        The program plays a script: steps, one a line, from standard input or FILE.
          --script FILE       reads the steps from FILE
          --timeout SECONDS  how long `wait` and `seek` wait; 60 by default
        Examples/README.md lists all steps and shows a script with its output.

        """

    private static let waiting =
        "waiting for steps, one a line, such as `press 0`, `show` or `quit`; Ctrl-D ends the script"
}
