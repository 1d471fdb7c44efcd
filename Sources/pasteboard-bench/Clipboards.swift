import CBenchFloor
import Glibc
import PasteboardTransport

/// A clipboard, as its commands for copy and paste, and the server that it needs.
final class Clipboard {
    let copy: [String]
    let paste: [String]
    private let environment: [String: String]
    private let server: BenchProcess?

    private init(copy: [String], paste: [String], environment: [String: String] = [:], server: BenchProcess?) {
        self.copy = copy
        self.paste = paste
        self.environment = environment
        self.server = server
    }

    func end() {
        server?.end()
    }

    /// The configuration with which a command is started.
    func configuration(_ command: [String]) -> ChildProcess.Configuration {
        let inherited = System.environment().filter { entry in
            !environment.keys.contains { entry.hasPrefix("\($0)=") }
        }
        var configuration = ChildProcess.Configuration(
            path: command[0],
            environment: inherited + environment.map { "\($0.key)=\($0.value)" }
        )
        configuration.arguments = command.map { SystemString($0) }
        configuration.errors = .null
        return configuration
    }

    // MARK: The pasteboard and the floor

    static func pasteboard(_ stage: Stage) throws -> Clipboard {
        let program = try stage.shipped("pasteboard")
        let socket = try stage.socket()
        return Clipboard(
            copy: [program, "copy"],
            paste: [program, "paste"],
            environment: ["PASTEBOARD_SOCKET": socket],
            server: try Server.broker.start(on: stage, socket)
        )
    }

    static func floor(_ stage: Stage) throws -> Clipboard {
        let program = try stage.floorProgram()
        let socket = try stage.socket()
        return Clipboard(
            copy: [program, "copy", socket],
            paste: [program, "paste", socket],
            server: try Server.floor.start(on: stage, socket)
        )
    }

    // MARK: Peers

    static func tmux(_ stage: Stage) throws -> Clipboard {
        let program = try Programs.installed("tmux")
        let socket = try stage.socket()
        let command = [program, "-f", "/dev/null", "-S", socket]
        let server = try BenchProcess(command + ["-D"], interrupts: stage.interrupts, isQuiet: true)
        try stage.await(socket, of: "tmux")
        return Clipboard(copy: command + ["load-buffer", "-"], paste: command + ["save-buffer", "-"], server: server)
    }

    static func xclip(_ stage: Stage) throws -> Clipboard {
        let program = try Programs.installed("xclip")
        let server = try BenchProcess(
            [try Programs.installed("Xvfb"), "-displayfd", "3", "-nolisten", "tcp", "-screen", "0", "64x64x24"],
            interrupts: stage.interrupts,
            isQuiet: true
        )
        let display = try server.line()
        return Clipboard(
            copy: [program, "-selection", "clipboard", "-i"],
            paste: [program, "-selection", "clipboard", "-o"],
            environment: ["DISPLAY": ":\(display)"],
            server: server
        )
    }

    static func wayland(_ stage: Stage) throws -> Clipboard {
        let copy = [try Programs.installed("wl-copy")]
        let paste = [try Programs.installed("wl-paste"), "--no-newline"]
        if System.environment("WAYLAND_DISPLAY") != nil { return Clipboard(copy: copy, paste: paste, server: nil) }
        let directory = "\(stage.directory)/wayland"
        _ = bench_remove_tree(directory)
        try System.makeDirectory(directory)
        var environment = [
            "XDG_RUNTIME_DIR": directory, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman",
        ]
        var command = [try Programs.installed("env")] + environment.map { "\($0.key)=\($0.value)" }
        if System.userID == 0 {
            // sway does not run as root. It runs as the user nobody, who needs access to its directory.
            command += [try Programs.installed("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
            chmod(stage.directory, 0o711)
            chown(directory, 65534, 65534)
        }
        command += [try Programs.installed("sway"), "-c", "/dev/null"]
        let server = try BenchProcess(command, interrupts: stage.interrupts, isQuiet: true)
        environment["WAYLAND_DISPLAY"] = "wayland-1"
        try stage.await("\(directory)/wayland-1", of: "sway")
        return Clipboard(copy: copy, paste: paste, environment: environment, server: server)
    }
}
