package import PasteboardTransport
package import PasteboardWire

/// A run of a program of the system, such as `tar`.
package final class SystemProgram: Sendable {
    private let name: String
    package let child: ChildProcess
    private let complaints: MemoryFile
    private let hasEnded = Lock(false)

    /// Starts a program found in `PATH`.
    ///
    /// - Parameters:
    ///   - directory: an open directory to run in; by default the directory of this process.
    ///   - input: its standard input; by default empty.
    package convenience init(
        _ name: String,
        _ arguments: [String],
        in directory: DescriptorBox? = nil,
        input: DescriptorBox? = nil
    ) throws(Failure) {
        var configuration = try Self.configuration(name, arguments)
        configuration.directory = directory
        configuration.input = input.map { .file($0) } ?? .null
        configuration.output = .null
        try self.init(name, configuration)
    }

    package init(_ name: String, _ configuration: ChildProcess.Configuration) throws(Failure) {
        var configuration = configuration
        do throws(SystemError) {
            complaints = try MemoryFile()
            configuration.errors = .descriptor(complaints.descriptor.raw)
            child = try ChildProcess(configuration)
        } catch {
            // The other process may read the error, and must not learn where the program is.
            throw Failure(.refused, "cannot run \(name): \(error.withoutDirectory)")
        }
        self.name = name
    }

    /// The configuration of a program found in `PATH`, with messages in English and without options from the
    /// environment.
    package static func configuration(
        _ name: String,
        _ arguments: [String]
    ) throws(Failure) -> ChildProcess.Configuration {
        ChildProcess.Configuration(
            path: try path(of: name),
            arguments: arguments,
            environment: System.environment().filter { entry in
                !["LC_ALL=", "TAR_OPTIONS=", "POSIXLY_CORRECT="].contains { entry.hasPrefix($0) }
            } + ["LC_ALL=C"]
        )
    }

    package static func path(of name: String) throws(Failure) -> String {
        for path in System.programDirectories().map({ "\($0)/\(name)" }) where System.isExecutable(path) { return path }
        throw Failure(.refused, "GNU \(name), which is needed for folders, is not in PATH; install it")
    }

    /// Waits for the end of the program; called once.
    ///
    /// Throws the first line of the program's messages if it failed.
    ///
    /// - Parameter isStatusRequired: whether to throw also if the exit status is lost. Callers that remove an original
    ///   afterwards require it.
    package func wait(isStatusRequired: Bool = false) throws(Failure) {
        // The program can be killed until it is reaped, so this waits for the end without reaping.
        if let process = try? System.processDescriptor(child.id) {
            _ = try? System.poll([PollInterest(process.raw, .readable)], milliseconds: nil)
        }
        let end = self.hasEnded.withLock { hasEnded in
            hasEnded = true
            return try? child.wait()
        }
        guard end != .exited(0) else { return }
        // If this process ignores SIGCHLD, or reaps all children elsewhere, the exit status is lost. Then only a
        // message shows a failure, and every failure has one unless the program was killed. That is enough by default:
        // folders can be loaded in such a process, and after an incomplete archive the source still has its folder.
        if end == nil, ((try? complaints.size) ?? 1) == 0 {
            guard isStatusRequired else { return }
            throw Failure(
                .refused,
                "the result of \(name) is not known, because this process ignores SIGCHLD or reaps all children "
                    + "elsewhere"
            )
        }
        let complaint = self.complaint
        // The program runs with LC_ALL=C, so its messages are in English.
        let isShortage = complaint.hasSuffix("No space left on device") || complaint.hasSuffix("Disk quota exceeded")
        // The tar of BusyBox rejects options that only GNU tar has.
        let isOther = ["unrecognized option", "unknown option", "invalid option"].contains(where: complaint.contains)
        let advice = isOther ? "; folders need GNU \(name), install it" : ""
        throw Failure(isShortage ? .noSpace : .refused, "\(name) failed: \(complaint)\(advice)")
    }

    /// The first line of the program's messages: later ones are often consequences.
    private var complaint: String {
        let bytes = try? System.bytes(of: complaints.descriptor.raw, from: 0, count: 1_000)
        let lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
        return lines.first.map(String.init) ?? "it printed no message"
    }

    /// Kills the program, unless it has ended.
    package func kill() {
        self.hasEnded.withLock { hasEnded in
            // After the wait its process id may belong to another process.
            if !hasEnded { try? child.kill(9) }
        }
    }
}
