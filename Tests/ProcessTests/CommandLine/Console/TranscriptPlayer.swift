import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A shell that runs the steps of a transcript, in a directory with a broker of its own.
final class TranscriptPlayer {
    private typealias Lines = ArraySlice<[UInt8]>

    /// The step that has started a job, and the numbers of its lines that have been compared.
    private struct Job {
        let step: Int
        let process: CInt
        var output = 0
        var errors = 0
    }

    /// Reads commands that end with a zero byte, and answers with their exit code and the process of the last job.
    ///
    /// Each command has files of its own for its output, because jobs print at any time. Job control gives them the
    /// usual actions for signals.
    private static let shell = #"""
        set -m
        bytes() { { printf '\377'; seq 3000000; } | head -c "$1"; }
        broker() { pasteboard version | sed -n 's/.*process //p'; }
        ended() { ! grep -qs '^State:.[^ZX]' /proc/$1/status; }
        __step=0
        while IFS= read -r -d '' __line; do
            eval "$__line" </dev/null >"$HOME/.steps/$__step.out" 2>"$HOME/.steps/$__step.err"
            echo "$? ${!:-0}"
            : $((__step += 1))
        done
        """#

    private let transcript: Transcript
    private let desk: Desk
    private let commands: OwnedDescriptor
    private let shell: ProcessRunner
    private var jobs: [Job] = []
    private var steps = 0

    static func play(_ transcript: Transcript) throws {
        System.ignoreBrokenPipes()
        let player = try TranscriptPlayer(transcript)
        defer { player.killAll() }
        for step in transcript.steps {
            let difference: String?
            do { difference = try player.difference(step) } catch { difference = "\(error)" }
            guard let difference else { continue }
            Issue.record(
                "\(transcript.file):\(step.line): \(step.command)\n\(difference)",
                sourceLocation: SourceLocation(
                    fileID: "CommandLine/\(transcript.file.split(separator: "/").last ?? "")",
                    filePath: "\(Document.root)/\(transcript.file)",
                    line: step.line,
                    column: 1
                )
            )
            return
        }
    }

    private init(_ transcript: Transcript) throws {
        self.transcript = transcript
        desk = try Desk()
        let programs = System.directory(of: try System.programPath())
        desk.environment["PATH"] = "\(programs):\(desk.environment["PATH"] ?? "")"
        let pipe = try System.pipe()
        _ = try desk.directory.makeDirectory(".steps")
        shell = try ProcessRunner(
            "/bin/bash",
            ["-c", Self.shell, "bash"],
            environment: desk.environment,
            directory: try desk.directory.makeDirectory("work"),
            input: pipe.first.raw
        )
        commands = pipe.keepingSecond()
    }

    // MARK: Steps

    /// Runs a step, and returns how its outcome differs from the expected one.
    private func difference(_ step: Transcript.Step) throws -> String? {
        switch step.kind {
        case .command:
            let (code, _) = try run(step.command)
            return difference(step, output(steps - 1, "out"), output(steps - 1, "err"), code)
        case .start:
            let (_, process) = try run(step.command + "\nset -- \"$@\" $!")
            jobs.append(Job(step: steps - 1, process: process))
            return try difference(step, of: jobs.count)
        case .wait:
            return try failureUnless(step.command) {
                try run(step.command).code == 0
            } shows: {
                (output(steps - 1, "out"), output(steps - 1, "err"))
            }
        case .job(let number):
            try #require(jobs.indices.contains(number - 1), "there is no job %\(number)")
            return try difference(step, of: number)
        }
    }

    /// Runs a command in the shell.
    private func run(_ command: String) throws -> (code: CInt, process: CInt) {
        let command = transcript.mergesErrors ? "{ \(command)\n} 2>&1" : command
        try System.write(Array((command + "\0").utf8).span, to: commands.raw)
        let words = try shell.nextLine().split(separator: " ").compactMap { CInt($0) }
        steps += 1
        return (words[0], words[1])
    }

    /// Waits for an event. If it never happens, the difference is that, with the lines so far.
    private func failureUnless(
        _ event: String,
        _ condition: () throws -> Bool,
        shows lines: () -> (output: Lines, errors: Lines)
    ) throws -> String? {
        do {
            try eventually(event, condition)
            return nil
        } catch let error as NeverHappened {
            let (output, errors) = lines()
            return ([error.description] + shown(output, errors)).joined(separator: "\n")
        }
    }

    /// Waits for lines of a job, or for its end if a code is expected.
    private func difference(_ step: Transcript.Step, of number: Int) throws -> String? {
        let job = jobs[number - 1]
        func unread(isWhole: Bool) -> (output: Lines, errors: Lines) {
            (
                output(job.step, "out", isWhole: isWhole).dropFirst(job.output),
                output(job.step, "err", isWhole: isWhole).dropFirst(job.errors)
            )
        }
        if step.code != nil {
            // The wait for the end is here, because `wait -f` of bash 5.2 sometimes never returns.
            let failure = try failureUnless("the end of \(step.command)") {
                kill(job.process, 0) != 0
            } shows: {
                unread(isWhole: true)
            }
            guard failure == nil else { return failure }
            let (code, _) = try run("wait \(job.process)")
            let lines = unread(isWhole: true)
            return difference(step, lines.output, lines.errors, code)
        }
        var count: (output: Int, errors: Int)?
        // A job that has ended prints no more lines.
        try? eventually("the lines of \(step.command)") {
            let lines = unread(isWhole: false)
            if let output = Self.count(lines.output, step.output), let errors = Self.count(lines.errors, step.errors) {
                count = (output, errors)
            }
            return count != nil || kill(job.process, 0) != 0
        }
        var lines = unread(isWhole: false)
        if let count { lines = (lines.output.prefix(count.output), lines.errors.prefix(count.errors)) }
        jobs[number - 1].output += lines.output.count
        jobs[number - 1].errors += lines.errors.count
        return difference(step, lines.output, lines.errors, nil)
    }

    /// The number of lines to compare with patterns; nil if there are too few. After `...` only lines that match count.
    private static func count(_ lines: Lines, _ patterns: [String]) -> Int? {
        guard patterns.contains("...") else { return lines.count < patterns.count ? nil : patterns.count }
        return (0...lines.count).first { LinePattern.matches(lines.prefix($0), patterns[...]) }
    }

    // MARK: Output

    /// The lines that a step has printed, without the reports of the shell about its jobs.
    ///
    /// - Parameter isWhole: whether a last line without a newline counts.
    private func output(_ step: Int, _ stream: String, isWhole: Bool = true) -> Lines {
        var bytes = (try? desk.directory.contents(of: ".steps/\(step).\(stream)")) ?? []
        if !isWhole { bytes = Array(bytes[..<((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)]) }
        let lines = LinePattern.lines(bytes.replacing(desk.directory.path.utf8, with: "$HOME".utf8))
        guard stream == "err" || transcript.mergesErrors else { return lines[...] }
        let report = #/^(\[\d+\][-+ ]|bash: line \d+: +\d+) |^$/#
        return lines.filter { !String(decoding: $0, as: UTF8.self).contains(report) }[...]
    }

    private func difference(_ step: Transcript.Step, _ output: Lines, _ errors: Lines, _ code: CInt?) -> String? {
        let expected = code == nil ? nil : step.code ?? 0
        let isSame = LinePattern.matches(output, step.output[...]) && LinePattern.matches(errors, step.errors[...])
        guard !isSame || code != expected else { return nil }
        func line(_ code: CInt?) -> [String] { code.map { ["[\($0)]"] } ?? [] }
        let left = step.output + step.errors.map { "2> \($0)" } + line(expected)
        let right = shown(output, errors) + line(code)
        func isEqual(_ pair: (String, String)) -> Bool { LinePattern.matches(Array(pair.1.utf8), pair.0) }
        let start = zip(left, right).prefix(while: isEqual).count
        let removed = left.dropFirst(start)
        let added = right.dropFirst(start)
        let end = zip(removed.reversed(), added.reversed()).prefix(while: isEqual).count
        var lines = right.prefix(start).map { "  \($0)" }
        lines += removed.dropLast(end).map { "- \($0)" }
        lines += added.dropLast(end).map { "+ \($0)" }
        lines += right.suffix(end).map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private func shown(_ output: Lines, _ errors: Lines) -> [String] {
        let lines = output.map { ("", $0) } + errors.map { ("2> ", $0) }
        return lines.map { $0 + String(decoding: $1, as: UTF8.self) }
    }

    // MARK: End

    /// Ends all processes that were started for the transcript, which have its directory in their environment or in
    /// their command line.
    private func killAll() {
        for process in processes() { kill(process, SIGCONT) }
        for process in processes(exceptBrokers: true) { kill(process, SIGKILL) }
        // A broker removes its files.
        _ = try? desk.run("stop")
        for process in processes() { kill(process, SIGKILL) }
    }

    private func processes(exceptBrokers: Bool = false) -> [CInt] {
        let directory = Array(desk.directory.path.utf8)
        return TemporaryDirectory.names(at: "/proc").compactMap { CInt($0) }.filter { process in
            let line = (try? System.contents(of: "/proc/\(process)/cmdline", limit: .max)) ?? []
            if line.firstRange(of: Array("--ready-fd".utf8)) != nil, exceptBrokers { return false }
            let environment = (try? System.contents(of: "/proc/\(process)/environ", limit: .max)) ?? []
            return (line + environment).firstRange(of: directory) != nil
        }
    }
}
