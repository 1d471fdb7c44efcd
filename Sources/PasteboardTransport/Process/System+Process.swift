import CPasteboardSystem
import Glibc

extension System {
    package static var processID: CInt { getpid() }
    /// The effective user.
    package static var userID: UInt32 { geteuid() }

    /// The arguments of this process, without the program's name.
    package static var arguments: [SystemString] {
        // The pointers are valid until the process ends.
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().compactMap {
            $0.map { SystemString(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:))) }
        }
    }

    /// Throws if the arguments of this process are unknown. A program without any would do something else instead.
    package static func checkArguments() throws(SystemError) {
        // A dynamically linked runtime reads them from /proc. If it cannot, even the program's name is missing.
        guard CommandLine.argc == 0 else { return }
        let path = "/proc/self/cmdline"
        do throws(SystemError) {
            _ = try open(path)
        } catch {
            let call: StaticString = "cannot read the arguments of this program from"
            throw SystemError(call: call, errno: error.errno, subject: path)
        }
    }

    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Like `environment`, but nil in a program that runs with the privileges of another user than its caller's.
    package static func secureEnvironment(_ name: String) -> String? {
        secure_getenv(name).map { String(cString: $0) }
    }

    /// The whole environment, each entry as `NAME=value`.
    package static func environment() -> [String] {
        var entries: [String] = []
        // Ends with a null pointer. This project does not change the environment after it has started threads.
        var next = pbs_environment()
        while let current = next, let entry = current.pointee {
            entries.append(String(cString: entry))
            next = current + 1
        }
        return entries
    }

    /// The directory for temporary files: `TMPDIR` if that is an absolute path, else `/tmp`.
    package static var temporaryDirectory: String {
        environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    }

    /// The directories in which programs are searched: those of `PATH`.
    ///
    /// - Parameter path: the value of the variable.
    /// - Returns: the absolute ones. A relative one would let the working directory choose the program.
    package static func programDirectories(_ path: String? = environment("PATH")) -> [String] {
        (path ?? "/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    package static func setEnvironment(_ name: String, to value: String?) throws(SystemError) {
        _ = try call("setenv", name) {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
    }

    /// The children of a process that its first thread has started.
    package static func children(of process: CInt) -> [CInt] {
        let text = try? contents(of: "/proc/\(process)/task/\(process)/children")
        return String(decoding: text ?? [], as: UTF8.self).split(separator: " ").compactMap { CInt($0) }
    }

    /// The path of the running program.
    package static func programPath() throws(SystemError) -> String {
        do throws(SystemError) {
            return try linkTarget("/proc/self/exe").description
        } catch {
            // In a root without /proc: the path by which it was started.
            guard let path = pbs_started_path().map({ String(cString: $0) }), path.hasPrefix("/") else { throw error }
            return path
        }
    }

    /// A path that starts the running program again, if possible also after its file was replaced or removed.
    package static func restartPath() throws(SystemError) -> String {
        let path = "/proc/self/exe"
        return try status(at: path) == nil ? try programPath() : path
    }

    /// The identifier of this boot of the machine.
    package static func bootID() throws(SystemError) -> String {
        let text = try contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The machine's memory in bytes.
    package static func memorySize() -> UInt64 {
        UInt64(max(0, sysconf(CInt(_SC_PHYS_PAGES)))) * UInt64(max(0, sysconf(CInt(_SC_PAGESIZE))))
    }

    /// Gives free memory of the heap back to the system. It takes about a millisecond for each 10 MiB.
    package static func trimMemory() { pbs_trim_memory() }

    /// Gives back what earlier calls have used of the stack. Only the main thread may call it.
    package static func trimMainStack() { pbs_trim_main_stack() }

    /// The size to which this process may let its address space grow; nil if it is not limited.
    package static func addressSpaceLimit() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return UInt64(limit.rlim_cur)
    }

    /// The memory that the control group of this process may use; nil if it is not limited.
    package static func groupMemoryLimit() -> UInt64? {
        guard let groups = try? contents(of: "/proc/self/cgroup") else { return nil }
        return groupMemoryLimit(groups) { try? contents(of: $0) }
    }

    /// - Parameter groups: the contents of `/proc/self/cgroup`, whose lines have the form `NUMBER:CONTROLLERS:/GROUP`.
    ///   Version 2 has no controllers there.
    static func groupMemoryLimit(_ groups: [UInt8], contents: (String) -> [UInt8]?) -> UInt64? {
        var least: UInt64?
        var lines = groups[...]
        // Splitting and joining would call generic code, and take a tenth of the instructions of a broker's start.
        while let colon = lines.firstIndex(of: UInt8(ascii: ":")) {
            let end = lines.firstIndex(of: newline) ?? lines.endIndex
            let line = lines[min(colon + 1, end)..<end]
            lines = lines[min(end + 1, lines.endIndex)...]
            guard let second = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let controllers = line[..<second]
            let (base, file): (String, String)
            if controllers.isEmpty {
                (base, file) = ("/sys/fs/cgroup", "memory.max")
            } else if isMemory(controllers) {
                // Without a limit, the file of version 1 contains a number above the memory of every machine.
                (base, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            } else {
                continue
            }
            // The path of the root is empty, all others begin with a slash.
            var group = line[(second + 1)...]
            if group.count == 1 { group = [] }
            // A limit of a group applies to the groups in it.
            while true {
                if let bytes = contents("\(base)\(String(decoding: group, as: UTF8.self))/\(file)"),
                    let limit = UInt64(String(decoding: bytes.prefix { $0 != newline }, as: UTF8.self))
                {
                    least = min(least ?? limit, limit)
                }
                guard let parent = group.lastIndex(of: UInt8(ascii: "/")) else { break }
                group = group[..<parent]
            }
        }
        return least
    }

    private static let newline = UInt8(ascii: "\n")

    /// Whether `memory` is one of the controllers, which commas separate.
    private static func isMemory(_ controllers: ArraySlice<UInt8>) -> Bool {
        var rest = controllers
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            if rest[..<end].elementsEqual("memory".utf8) { return true }
            guard end < rest.endIndex else { return false }
            rest = rest[(end + 1)...]
        }
    }

    /// At most 256 bytes. The call needs no file, which may be missing in a minimal root.
    package static func randomBytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        _ = try call("getentropy") { getentropy(&bytes, count) }
        return bytes
    }

    /// The number of descriptors that this process may have open: the soft limit.
    package static func descriptorLimit() -> UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return UInt64(limit.rlim_cur)
    }

    /// Takes back what the program that started this one had set for itself, as far as the system allows: its priority,
    /// its processors, its preference to be killed when memory runs out, and the hard limit of open descriptors.
    package static func resetInheritedAttributes() {
        pbs_reset_priorities()
        // The hard limit of systemd's services. Only root may raise it.
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_max < 524_288 else {
            return
        }
        limit.rlim_max = 524_288
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Raises the soft limit of open descriptors to the hard one. For programs, not for libraries.
    ///
    /// - Returns: the limit that now holds.
    @discardableResult
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: descriptorLimit())
    }

    // MARK: Signals and exit

    /// Sends a signal to a process, or to a process group if the number is negative.
    package static func kill(_ process: CInt, _ signal: CInt) throws(SystemError) {
        _ = try call("kill", "process \(process)") { Glibc.kill(process, signal) }
    }

    /// Waits for a child to end. Returns nil if it is running and `hang` is false.
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

    /// The process group of a process; nil if the process has ended.
    package static func group(ofProcess process: CInt) -> CInt? {
        let group = getpgid(process)
        return group < 0 ? nil : group
    }
}

/// The way in which a process ended.
package enum ProcessEnd: Equatable, Sendable, CustomStringConvertible {
    case exited(CInt)
    case signaled(CInt)

    /// The exit code by which a shell reports it.
    package var exitCode: CInt {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }

    /// The rest of a sentence about the process.
    package var description: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}
