import CPasteboardSystem
import Glibc

extension System {
    package static var processID: CInt { getpid() }
    /// The user whose rights this process has.
    package static var userID: UInt32 { geteuid() }

    /// The arguments of this process, without the program's name.
    package static var arguments: [SystemString] {
        // The process has them as long as it lives.
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().compactMap {
            $0.map { SystemString(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:))) }
        }
    }

    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// All of the environment, each entry as `NAME=value`.
    package static func environment() -> [String] {
        var entries: [String] = []
        // Ends with a null pointer. Nothing in this project changes the environment once threads run.
        var next = pbs_environment()
        while let current = next, let entry = current.pointee {
            entries.append(String(cString: entry))
            next = current + 1
        }
        return entries
    }

    package static func setEnvironment(_ name: String, to value: String?) throws(SystemError) {
        _ = try call("setenv", name) {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
    }

    /// The path of the running program.
    package static func programPath() throws(SystemError) -> String {
        try linkTarget("/proc/self/exe").description
    }

    /// What names this run of the machine.
    package static func bootID() throws(SystemError) -> String {
        let text = try contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The machine's memory in bytes.
    package static func memorySize() -> UInt64 {
        UInt64(max(0, sysconf(CInt(_SC_PHYS_PAGES)))) * UInt64(max(0, sysconf(CInt(_SC_PAGESIZE))))
    }

    package static func randomBytes(_ count: Int) throws(SystemError) -> [UInt8] {
        let source = try open("/dev/urandom")
        return try read(source.raw, upTo: count)
    }

    /// Raises the soft limit of open descriptors to the hard one.
    ///
    /// - Returns: the limit that now holds.
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }

    package static func changeDirectory(_ path: String) throws(SystemError) {
        _ = try call("chdir", path) { chdir(path) }
    }

    // MARK: Signals and ends

    /// Sends a signal to a process, or with a negative number to a group of processes.
    package static func kill(_ process: CInt, _ signal: CInt) throws(SystemError) {
        _ = try call("kill", "process \(process)") { Glibc.kill(process, signal) }
    }

    /// Waits for a child to end; nil if it has not and `hang` is false.
    package static func waitForProcess(_ process: CInt, hang: Bool = true) throws(SystemError) -> ProcessEnd? {
        var status: CInt = 0
        let ended = try call("waitpid", "process \(process)") { waitpid(process, &status, hang ? 0 : WNOHANG) }
        guard ended == process else { return nil }
        return pbs_exited(status) != 0 ? .exited(pbs_exit_code(status)) : .signaled(pbs_ending_signal(status))
    }

    /// A descriptor that becomes readable when the process ends.
    package static func processDescriptor(_ process: CInt) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try call("pidfd_open", "process \(process)") { pbs_pidfd_open(process) })
    }
}

/// How a process ended.
package enum ProcessEnd: Equatable, Sendable {
    case exited(CInt)
    case signaled(CInt)
}
