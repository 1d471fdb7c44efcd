import PasteboardTransport

/// A run of one of the system's programs: what it is better at than code of our own.
final class SystemProgram: Sendable {
    private enum Phase {
        case running
        case ended
    }

    private let name: String
    private let child: ChildProcess
    private let complaints: MemoryFile
    private let phase = Lock(Phase.running)

    /// Starts a program of `PATH`, with its messages in English.
    ///
    /// - Parameters:
    ///   - directory: where it runs; nil: where this process does.
    ///   - input: where its standard input comes from; nil: from nowhere.
    ///   - output: where its standard output goes; nil: nowhere.
    init(
        _ name: String,
        _ arguments: [String],
        in directory: String? = nil,
        input: CInt? = nil,
        output: CInt? = nil
    ) throws(PasteboardError) {
        self.name = name
        do {
            complaints = try MemoryFile()
            var configuration = ChildProcess.Configuration(
                path: try Self.path(of: name),
                arguments: arguments,
                // What a user has set for himself would change what is done here.
                environment: System.environment().filter { entry in
                    !["LC_ALL=", "TAR_OPTIONS=", "POSIXLY_CORRECT="].contains { entry.hasPrefix($0) }
                } + ["LC_ALL=C"]
            )
            configuration.directory = directory
            configuration.input = input.map { .descriptor($0) } ?? .null
            configuration.output = output.map { .descriptor($0) } ?? .null
            configuration.errors = .descriptor(complaints.descriptor.raw)
            child = try ChildProcess(configuration)
        } catch let error as PasteboardError {
            throw error
        } catch {
            throw PasteboardError(.refused, message: "cannot run \(name): \(error)")
        }
    }

    private static func path(of name: String) throws(PasteboardError) -> String {
        // A relative entry would let the working directory choose the program.
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").filter {
            $0.hasPrefix("/")
        }
        for path in directories.map({ "\($0)/\(name)" }) where System.isExecutable(path) { return path }
        throw PasteboardError(.refused, message: "\(name), which handles folders, is not in PATH; install it")
    }

    /// Waits for its end; called once.
    ///
    /// - Throws: what it complained of, if it did not end well.
    func wait() throws(PasteboardError) {
        // It can be killed until the moment it is taken note of.
        if let process = try? System.processDescriptor(child.id) {
            _ = try? System.poll([PollInterest(process.raw, .readable)], milliseconds: nil)
        }
        let end = phase.withLock { phase in
            phase = .ended
            return try? child.wait()
        }
        guard end != .exited(0) else { return }
        // A program that ignores its children's ends, or takes note of all itself, has taken this one: what is left to go
        // by is whether there was a complaint.
        if end == nil, ((try? complaints.size) ?? 1) == 0 { return }
        throw PasteboardError(.refused, message: "\(name) failed: \(complaint)")
    }

    /// What it said first: what comes behind it is often a consequence.
    private var complaint: String {
        let bytes = try? [UInt8](capacity: 1_000) { output throws(SystemError) in
            _ = try complaints.read(at: 0, into: &output)
        }
        let lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
        return lines.first.map(String.init) ?? "it did not say why"
    }

    /// Ends it, unless it has ended.
    func kill() {
        phase.withLock { phase in
            // Its number may be somebody else's once it has been waited for.
            if phase == .running { try? child.kill(9) }
        }
    }
}
