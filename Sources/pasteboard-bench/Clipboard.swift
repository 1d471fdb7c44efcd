import Glibc
import PasteboardTransport

/// A clipboard: its commands for copy and paste, and the server that they need. They find it by the environment.
struct Clipboard {
    /// The clipboards of other programs.
    static let peers = ["tmux", "xclip", "wl-clipboard"]
    /// The timeout of a command in milliseconds. A clipboard that takes longer is left out.
    private static let timeout = 60_000

    let server: BenchProcess
    private let name: String
    private let stage: Stage
    private let copyCommand: [String]
    private let pasteCommand: [String]

    /// Starts the server. Throws unless the clipboard works here.
    init(_ name: String, on stage: Stage) throws {
        self.name = name
        self.stage = stage
        let socket = try stage.socket()
        switch name {
        case "floor":
            server = try Server.floor.start(socket, on: stage)
            let program = stage.floor("store")
            (copyCommand, pasteCommand) = ([program, "copy", socket], [program, "paste", socket])
        case "pasteboard":
            server = try stage.startBroker(socket)
            (copyCommand, pasteCommand) = ([stage.pasteboard, "copy"], [stage.pasteboard, "paste"])
            try System.setEnvironment("PASTEBOARD_SOCKET", to: socket)
        case "tmux":
            let command = [try stage.installed("tmux"), "-f", "/dev/null", "-S", socket]
            server = try BenchProcess(command + ["-D"], on: stage, isQuiet: true)
            (copyCommand, pasteCommand) = (command + ["load-buffer", "-"], command + ["save-buffer", "-"])
            try stage.wait(forServer: socket)
        case "xclip":
            let command = [try stage.installed("xclip"), "-selection", "clipboard"]
            (copyCommand, pasteCommand) = (command + ["-i"], command + ["-o"])
            let options = ["-displayfd", "3", "-nolisten", "tcp", "-screen", "0", "64x64x24"]
            let display = try BenchProcess([try stage.installed("Xvfb")] + options, on: stage, isQuiet: true)
            server = display
            try System.setEnvironment("DISPLAY", to: ":\(try display.line())")
        default:
            copyCommand = [try stage.installed("wl-copy")]
            pasteCommand = [try stage.installed("wl-paste"), "--no-newline"]
            server = try Self.startCompositor(System.directory(of: socket), on: stage)
        }
        try check()
    }

    /// Starts a Wayland compositor without a display.
    private static func startCompositor(_ directory: String, on stage: Stage) throws -> BenchProcess {
        let environment = [
            "XDG_RUNTIME_DIR": directory, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman",
        ]
        for (name, value) in environment { try System.setEnvironment(name, to: value) }
        var command = [try stage.installed("sway"), "-c", "/dev/null"]
        if System.userID == 0 {
            // sway does not run as root. It runs as the user nobody, who needs access to its directory.
            command = [try stage.installed("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"] + command
            chmod(stage.directory, 0o711)
            chown(directory, 65534, 65534)
        }
        let server = try BenchProcess(command, on: stage, isQuiet: true)
        try stage.wait(forServer: "\(directory)/wayland-1")
        try System.setEnvironment("WAYLAND_DISPLAY", to: "wayland-1")
        return server
    }

    /// Copies two texts, and pastes each. Throws unless that works, which also shows that the server is ready.
    private func check() throws {
        for text in ["first", "second"] {
            let path = "\(stage.directory)/\(text)"
            try stage.write(Array(text.utf8), to: path)
            try copy(path)
            try paste(count: text.utf8.count, start: Array(text.utf8))
        }
    }

    /// Copies the contents of a file.
    func copy(_ path: String) throws {
        let file = try System.open(path)
        var configuration = configuration(copyCommand)
        configuration.input = .descriptor(file.raw)
        // Some commands leave a process running, which must not keep the output of this program open.
        configuration.output = .null
        try end(try ChildProcess(configuration))
    }

    /// Pastes into a pipe. The bytes must be `count`, and begin with `start`.
    func paste(count: Int, start: [UInt8]) throws {
        var configuration = configuration(pasteCommand)
        let pipe = try System.pipe()
        configuration.output = .descriptor(pipe.second.raw)
        let process = try ChildProcess(configuration)
        let output = pipe.keepingFirst()
        var pasted = 0
        var isRight = true
        while try stage.wait(for: output.raw, milliseconds: Self.timeout) {
            let bytes = try System.read(output.raw, upTo: 1 << 16)
            if bytes.isEmpty { break }
            if pasted == 0 { isRight = bytes.starts(with: start.prefix(bytes.count)) }
            pasted += bytes.count
        }
        try end(process)
        guard pasted == count, isRight else {
            throw Skip("\(name) pasted other bytes than it copied (\(pasted) instead of \(count))")
        }
    }

    private func configuration(_ command: [String]) -> ChildProcess.Configuration {
        var configuration = ChildProcess.Configuration(path: command[0], arguments: Array(command.dropFirst()))
        configuration.errors = .null
        return configuration
    }

    private func end(_ process: ChildProcess) throws {
        let end = try process.wait(milliseconds: Self.timeout)
        if end == nil {
            try process.kill(SIGKILL)
            _ = try process.wait()
        }
        guard end == .exited(0) else {
            throw Skip("\(name): " + (end.map { "\($0)" } ?? "takes longer than \(Self.timeout) ms"))
        }
    }
}
