import Glibc
import PasteboardTransport
import TestSupport

/// Another machine of a test, with a desk of its own.
protocol FarMachine {
    /// The arguments after `pasteboard link` that reach it.
    var linkArguments: [String] { get }
    /// The desk of the machine that links.
    var near: Desk { get }

    /// Runs a script on the machine, with `pasteboard` in its path, and returns its output.
    func far(_ script: String) throws -> String
}

extension FarMachine {
    /// Starts a link, and returns once it exists.
    func link(_ options: String...) throws -> ProcessRunner {
        let link = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["link"] + linkArguments + options,
            environment: near.environment,
            directory: near.directory.path
        )
        try link.waitForErrors(containing: "linked with ")
        return link
    }

    /// Waits until a script on the other machine prints the text.
    func eventuallyFar(_ text: String, _ script: String) throws {
        try eventually("\(script) prints \(text)") { try far("\(script) 2>&1 || :") == text }
    }

    func eventuallyNear(_ text: String, _ script: String) throws {
        try eventually("\(script) prints \(text)") { try near.shell("\(script) 2>&1 || :").text == text }
    }
}

/// A machine of the same user that a shell command reaches.
struct CommandMachine: FarMachine {
    let near: Desk
    let desk: Desk
    private let silence: String

    /// - Parameter silence: the time without input after which `connect` ends.
    init(silence: String = "10m") throws {
        (near, desk) = (try Desk(), try Desk())
        self.silence = silence
    }

    var linkArguments: [String] {
        let variables = desk.environment.map { "\($0)='\($1)'" }.joined(separator: " ")
        let program = (try? ProcessRunner.program("pasteboard")) ?? ""
        return ["far", "--via", "exec env -i \(variables) \(program) connect --silence \(silence)"]
    }

    func far(_ script: String) throws -> String { try desk.succeed(script) }
}

/// Another user of this machine, whom an ssh server of the test lets in. Needs root.
final class ServerMachine: FarMachine {
    /// Gives `far` an account, in a view of the file system of its own, and starts the server.
    private static let script = """
        set -eu
        mkdir far bin
        cp "$0" bin/pasteboard
        chmod -R 755 . ; chown 65533:65533 far
        ssh-keygen -q -t ed25519 -N '' -f key
        ssh-keygen -q -t ed25519 -N '' -f host
        { grep -v '^far:' /etc/passwd; echo "far:x:65533:65533::$PWD/far:/bin/sh"; } > passwd
        { grep -v '^far:' /etc/shadow; echo 'far:*:19000:0:99999:7:::'; } > shadow
        chmod 644 passwd; chmod 600 key shadow
        cat > server <<END
        ListenAddress 127.0.0.1
        Port $1
        HostKey $PWD/host
        AuthorizedKeysFile $PWD/key.pub
        StrictModes no
        UsePAM no
        PidFile none
        SetEnv PATH=$PWD/bin:/usr/bin:/bin
        END
        cat > client <<END
        Host far
        HostName 127.0.0.1
        Port $1
        User far
        IdentityFile $PWD/key
        UserKnownHostsFile /dev/null
        StrictHostKeyChecking no
        LogLevel ERROR
        END
        printf '#!/bin/sh\\nexec /usr/bin/ssh -F %s/client "$@"\\n' "$PWD" > bin/ssh
        chmod 755 bin/ssh
        exec unshare -m --propagation private sh -c '
            mount --bind passwd /etc/passwd; mount --bind shadow /etc/shadow
            mount -t tmpfs tmpfs /run; mkdir /run/sshd
            exec /usr/sbin/sshd -D -e -f $PWD/server'
        """

    let near: Desk
    private let directory: String
    private let server: ProcessRunner

    init() throws {
        near = try Desk()
        directory = try near.directory.makeDirectory("server")
        // The other user has to reach its home.
        for path in [near.directory.path, directory] { chmod(path, 0o755) }
        server = try ProcessRunner(
            "/bin/sh",
            ["-c", Self.script, try ProcessRunner.program("pasteboard"), "\(try Self.freePort())"],
            environment: near.environment,
            directory: directory
        )
        try server.waitForErrors(containing: "Server listening on")
        near.environment["PATH"] = "\(directory)/bin:\(near.environment["PATH"] ?? "")"
    }

    deinit {
        _ = try? far("pasteboard stop || :")
        try? server.child.killGroup(SIGKILL)
    }

    var linkArguments: [String] { ["far"] }

    func far(_ script: String) throws -> String {
        let finished = try ProcessRunner(
            "/bin/sh",
            [
                "-c",
                "cd \(directory)/far; exec setpriv --reuid 65533 --regid 65533 --clear-groups env -i HOME=\(directory)/far "
                    + "PATH=\(directory)/bin:/usr/bin:/bin sh -c \"$0\"", script,
            ],
            environment: near.environment
        ).finish()
        return finished.text
    }

    /// A port of the loopback interface that nothing uses.
    private static func freePort() throws -> UInt16 {
        let socket = OwnedDescriptor(adopting: Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.raw, $0, length) + getsockname(socket.raw, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
