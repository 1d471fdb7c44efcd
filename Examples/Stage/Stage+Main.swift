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
        let trace = TraceLog()
        do {
            let arguments = try StageArguments(
                CommandLine.arguments.dropFirst(),
                options: options,
                switches: switches
            )
            try arguments.openScript()
            let stage = Stage(try make(arguments, trace), name: name, trace: trace)
            exit(await stage.play())
        } catch {
            let usage = "usage: \(name) \(usage) [--script FILE]"
            StandardStreams.say("\(name): \(error)\n\(usage)\n", on: STDERR_FILENO)
            exit(2)
        }
    }
}
