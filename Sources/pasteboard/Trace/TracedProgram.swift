import Glibc
import PasteboardTransport

/// The program that a trace runs, with the standard streams and the descriptors of this process.
struct TracedProgram {
    let child: ChildProcess
    /// Readable when the program has ended.
    let descriptor: DescriptorBox

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - socket: the path that it is to use as that of the broker's socket. It starts no broker there.
    ///   - ignored: signals that it ignores as this process does.
    init(_ path: String, _ arguments: [SystemString], socket: String, ignoring ignored: [CInt] = []) throws {
        let own = ["PASTEBOARD_SOCKET=", "PASTEBOARD_AUTOSTART="]
        let others = System.environment().filter { entry in !own.contains { entry.hasPrefix($0) } }
        var configuration = ChildProcess.Configuration(
            path: path,
            arguments: arguments,
            environment: others + ["PASTEBOARD_SOCKET=\(socket)", "PASTEBOARD_AUTOSTART=0"]
        )
        configuration.input = .inherited
        configuration.inheritsDescriptors = true
        configuration.inheritedSignals = ignored
        do throws(SystemError) {
            child = try ChildProcess(configuration)
        } catch {
            throw CommandFailure(exitCode: ProgramPath.cannotBeRun, "cannot run \(path): \(error.reason)")
        }
        do throws(SystemError) {
            descriptor = DescriptorBox(try System.processDescriptor(child.id))
        } catch {
            try? child.kill(SIGKILL)
            _ = try? child.wait()
            throw error
        }
    }

    /// The exit code of the program, which has ended, as a shell reports it.
    func exitCode() throws -> CInt {
        switch try child.wait() {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
