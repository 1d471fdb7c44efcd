import Glibc
import PasteboardTransport

/// The path of a program that a command runs, and its start.
enum ProgramPath {
    /// The exit codes of a shell, `env` and others that run a program.
    static let isNotFound: CInt = 127
    static let cannotBeRun: CInt = 126

    /// The program as it is named if the name contains a slash, else in `PATH`.
    static func find(_ command: SystemString) throws(CommandFailure) -> String {
        guard let name = command.text, !name.isEmpty else {
            throw CommandFailure(exitCode: isNotFound, "cannot run '\(command)': its name is empty or not UTF-8")
        }
        if name.contains("/") {
            guard (try? System.status(at: name)) != .some(nil) else {
                throw CommandFailure(exitCode: isNotFound, "cannot run \(name): there is no such file")
            }
            return name
        }
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(
            separator: ":",
            omittingEmptySubsequences: false
        )
        for directory in directories {
            let path = directory.isEmpty ? "./\(name)" : "\(directory)/\(name)"
            if System.isExecutable(path), (try? System.status(at: path))??.kind != .directory { return path }
        }
        throw CommandFailure(exitCode: isNotFound, "cannot run \(name): it is not in PATH")
    }

    /// Starts the program.
    ///
    /// - Returns: the child, and a descriptor that becomes readable when it ends.
    static func start(_ configuration: ChildProcess.Configuration) throws -> (child: ChildProcess, end: DescriptorBox) {
        let child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess(configuration)
        } catch {
            throw CommandFailure(exitCode: cannotBeRun, "cannot run \(configuration.path): \(error.reason)")
        }
        do {
            return (child, DescriptorBox(try System.processDescriptor(child.id)))
        } catch {
            try? configuration.inNewGroup ? child.killGroup(SIGKILL) : child.kill(SIGKILL)
            _ = try? child.wait()
            throw error
        }
    }
}
