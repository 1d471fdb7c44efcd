import Glibc

extension Stage {
    /// What the main function of a program does: reads the command line, plays the script, and ends with its exit code.
    ///
    /// - Parameters:
    ///   - name: the program's.
    ///   - options: its own options with a value.
    ///   - switches: those without.
    ///   - usage: its own part of the command line, for messages.
    ///   - make: makes the program. An error is one of the command line.
    public static func main(
        _ name: String,
        options: Set<String> = [],
        switches: Set<String> = [],
        usage: String,
        make: (StageArguments, TraceLog) throws(StepError) -> any StageProgram
    ) async -> Never {
        let usage = "usage: \(name) \(usage) [--script FILE] [--patience SECONDS]\n"
        if ["--help", "-h"].contains(where: CommandLine.arguments.dropFirst().contains) {
            StandardStreams.say(usage, on: STDOUT_FILENO)
            exit(0)
        }
        let trace = TraceLog()
        do {
            let arguments = try StageArguments(
                CommandLine.arguments.dropFirst(),
                options: options,
                switches: switches
            )
            let patience = try arguments.patience()
            let program = try make(arguments, trace)
            try arguments.openScript()
            exit(await Stage(program, name: name, patience: patience, trace: trace).play())
        } catch {
            StandardStreams.say("\(name): \(error)\n\(usage)", on: STDERR_FILENO)
            exit(2)
        }
    }
}
