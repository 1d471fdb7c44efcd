import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct ChildProcessTests {
    @Test("A child has its streams, its arguments, its environment, and no other descriptor")
    func streams() throws {
        let input = try System.pipe()
        let output = try System.pipe()
        let extra = try System.pipe()
        // Not close-on-exec. Nevertheless it must not reach the child.
        let leaking = dup(extra.first.raw)
        defer { close(leaking) }
        var configuration = shell("read line; echo \"$line $0 $WORD\"; echo extra >&3; cd /proc/self/fd; echo *")
        configuration.environment = ["WORD=environment"]
        configuration.input = .descriptor(input.first.raw)
        configuration.output = .descriptor(output.second.raw)
        configuration.errors = .null
        configuration.descriptors = [extra.second.raw]
        let child = try ChildProcess(configuration)
        try System.write(Array("input\n".utf8).span, to: input.second.raw)
        #expect(try child.wait() == .exited(0))
        let text = String(decoding: try System.read(output.first.raw, upTo: 4096), as: UTF8.self)
        // The shell itself opens one more, to list the directory.
        #expect(text == "input name environment\n0 1 2 3 4\n")
        #expect(try System.read(extra.first.raw, upTo: 10) == Array("extra\n".utf8))
    }

    @Test("Streams whose numbers are exchanged reach the child correctly")
    func crossedStreams() throws {
        let one = try System.pipe()
        let other = try System.pipe()
        var configuration = shell("echo one; echo two >&2; echo three >&3; echo four >&4")
        configuration.output = .descriptor(one.second.raw)
        configuration.errors = .descriptor(other.second.raw)
        configuration.descriptors = [other.second.raw, one.second.raw]
        #expect(try ChildProcess(configuration).wait() == .exited(0))
        #expect(try System.read(one.first.raw, upTo: 100) == Array("one\nfour\n".utf8))
        #expect(try System.read(other.first.raw, upTo: 100) == Array("two\nthree\n".utf8))
    }

    @Test("Descriptors in any order reach the child correctly")
    func orders() async {
        // In a process of its own, whose descriptors have about the numbers that they get in the child.
        await #expect(processExitsWith: .success) {
            var files: [MemoryFile] = []
            for number in 0..<24 {
                let file = try MemoryFile()
                try file.append(Array("\(number) ".utf8).span)
                files.append(file)
            }
            var generator = SeededGenerator(seed: 7)
            let ascending = Array(files.indices)
            let shuffled = (0..<20).map { _ in ascending.shuffled(using: &generator) }
            for order in [ascending, ascending.reversed()] + shuffled {
                let output = try System.pipe()
                var configuration = ChildProcess.Configuration(
                    path: "/bin/cat",
                    arguments: files.indices.map { "/proc/self/fd/\(3 + $0)" }
                )
                configuration.output = .descriptor(output.second.raw)
                configuration.descriptors = order.map { files[$0].descriptor.raw }
                guard try ChildProcess(configuration).wait() == .exited(0) else { exit(3) }
                let text = String(decoding: try System.read(output.first.raw, upTo: 4096), as: UTF8.self)
                guard text == order.map({ "\($0) " }).joined() else { exit(4) }
            }
        }
    }

    @Test("Descriptors in ascending order reach a child of a process that can have no more of them")
    func noRoom() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(3) }
            var files: [DescriptorBox] = []
            while let file = try? System.open("/dev/null") { files.append(DescriptorBox(file)) }
            // The child opens its libraries.
            guard files.count > 2, files.popLast() != nil else { exit(4) }
            var configuration = ChildProcess.Configuration(path: "/bin/true")
            configuration.descriptors = files.map(\.raw)
            guard try ChildProcess(configuration).wait() == .exited(0) else { exit(5) }
        }
    }

    @Test("The end of a child is reported as its exit code or signal")
    func ends() throws {
        #expect(try ChildProcess(shell("exit 7")).wait() == .exited(7))
        let killed = try ChildProcess(shell("kill -TERM $$"))
        #expect(try killed.wait(milliseconds: 600_000) == .signaled(SIGTERM))
    }

    @Test("A wait for a running child ends at its timeout, and the child ends with its group")
    func killsGroup() throws {
        let output = try System.pipe()
        var configuration = shell("sleep 1000 & echo started; wait")
        configuration.output = .descriptor(output.second.raw)
        configuration.inNewGroup = true
        let child = try ChildProcess(configuration)
        #expect(try System.read(output.first.raw, upTo: 100) == Array("started\n".utf8))
        #expect(try child.wait(milliseconds: 0) == nil)
        try child.killGroup(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
    }

    @Test("A child in a new session leads it")
    func newSession() throws {
        let output = try System.pipe()
        var configuration = shell("cut -d' ' -f1,6 /proc/$$/stat")
        configuration.output = .descriptor(output.second.raw)
        configuration.inNewSession = true
        let child = try ChildProcess(configuration)
        #expect(try child.wait() == .exited(0))
        #expect(try System.read(output.first.raw, upTo: 100) == Array("\(child.id) \(child.id)\n".utf8))
    }

    @Test("A child has no signal blocked or ignored")
    func signals() throws {
        let output = try System.pipe()
        let descriptor = output.second.raw
        // On a new thread, where all signals are blocked.
        let thread = try SystemThread(name: "starts") {
            var configuration = ChildProcess.Configuration(
                path: "/bin/grep",
                arguments: ["-E", "^Sig(Blk|Ign)", "/proc/self/status"]
            )
            configuration.output = .descriptor(descriptor)
            _ = try? ChildProcess(configuration).wait()
        }
        thread.join()
        let text = String(decoding: try System.read(output.first.raw, upTo: 4096), as: UTF8.self)
        let masks = text.split { $0 == "\t" || $0 == "\n" }.compactMap { UInt64($0, radix: 16) }
        // The C library reserves two signals above 31 and ignores them in processes that it spawns.
        #expect(masks.map { $0 & 0x7fff_ffff } == [0, 0])
    }

    @Test("The start of a program that does not exist fails with an error that names it")
    func missing() {
        let error = #expect(throws: SystemError.self) { _ = try ChildProcess(.init(path: "/nonexistent")) }
        #expect(error?.description == "start /nonexistent: No such file or directory")
    }

    private func shell(_ script: String) -> ChildProcess.Configuration {
        var configuration = ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", script, "name"])
        configuration.errors = .null
        return configuration
    }
}
