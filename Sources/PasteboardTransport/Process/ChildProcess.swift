import CPasteboardSystem
import Glibc

/// A program started by this process.
///
/// In the child no signal is blocked, and by default none is ignored. Only the descriptors in the configuration are
/// open, unless it inherits those of this process.
package struct ChildProcess: Sendable {
    /// The file of one of the child's standard streams.
    package enum Stream: Sendable {
        /// The stream of this process.
        case inherited
        case null
        case descriptor(CInt)
        /// Like `descriptor`, but kept open until the program has been started.
        case file(DescriptorBox)
    }

    package struct Configuration: Sendable {
        /// The program's path. It is not searched in `PATH`.
        package var path: String
        /// The arguments, beginning with the program's name.
        package var arguments: [SystemString]
        /// Entries `NAME=value`.
        package var environment: [String]
        package var input = Stream.null
        package var output = Stream.inherited
        package var errors = Stream.inherited
        /// Further descriptors for the child, where they have the numbers 3, 4 and so on. If they are in ascending
        /// order, the start opens no further descriptors in this process.
        package var descriptors: [CInt] = []
        /// Whether the child also gets the descriptors that this process was started with. Those that this process
        /// opens are closed in its children.
        package var inheritsDescriptors = false
        /// An open directory in which the child runs; by default that of this process.
        package var directory: DescriptorBox?
        /// Whether the child starts a session. It then outlives the terminal, and the terminal's keys send it no
        /// signals.
        package var inNewSession = false
        /// Whether the child starts a process group, so that it can be ended together with its children.
        package var inNewGroup = false

        /// Signals that the child ignores if this process does.
        package var inheritedSignals: [CInt] = []

        package init(
            path: String,
            arguments: [String] = [],
            environment: [String] = System.environment()
        ) {
            self.init(path: path, arguments: arguments.map { SystemString($0) }, environment: environment)
        }

        package init(
            path: String,
            arguments: [SystemString],
            environment: [String] = System.environment()
        ) {
            self.path = path
            self.arguments = [SystemString(path)] + arguments
            self.environment = environment
        }
    }

    private static let null = "/dev/null"

    package let id: CInt

    package init(_ configuration: Configuration) throws(SystemError) {
        // The actions assign the child's descriptors in ascending order, so an action would overwrite a later source
        // that has this number. Only such sources are duplicated, because this process may have no room to duplicate
        // all.
        let given: [CInt?] =
            [configuration.input, configuration.output, configuration.errors].enumerated().map { number, stream in
                switch stream {
                case .inherited: CInt(number)
                case .null: nil
                case .descriptor(let descriptor): descriptor
                case .file(let file): file.raw
                }
            } + configuration.descriptors
        var sources = given
        var duplicates: [DescriptorBox] = []
        for (number, descriptor) in given.enumerated() {
            guard let descriptor, descriptor < number else { continue }
            let duplicate = DescriptorBox(try System.duplicate(descriptor, above: CInt(given.count)))
            sources[number] = duplicate.raw
            duplicates.append(duplicate)
        }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The directory is changed first, because the next actions may overwrite or close its descriptor.
        if let directory = configuration.directory { posix_spawn_file_actions_addfchdir_np(&actions, directory.raw) }
        for (number, source) in sources.enumerated() {
            if let source {
                // If the two are equal, it makes the child inherit the descriptor.
                posix_spawn_file_actions_adddup2(&actions, source, CInt(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, CInt(number), Self.null, O_RDWR, 0)
            }
        }
        if !configuration.inheritsDescriptors {
            posix_spawn_file_actions_addclosefrom_np(&actions, CInt(sources.count))
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = CInt(POSIX_SPAWN_SETSIGMASK) | CInt(POSIX_SPAWN_SETSIGDEF)
        if configuration.inNewSession { flags |= CInt(PBS_SPAWN_NEW_SESSION) }
        if configuration.inNewGroup { flags |= CInt(POSIX_SPAWN_SETPGROUP) }
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        var none = System.signalSet([])
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        for signal in configuration.inheritedSignals { sigdelset(&all, signal) }
        posix_spawnattr_setsigdefault(&attributes, &all)

        var child: pid_t = 0
        let code = withCStrings(configuration.arguments) { arguments in
            withCStrings(configuration.environment.map { SystemString($0) }) { environment in
                System.fails("start")
                    ? errno : posix_spawn(&child, configuration.path, &actions, &attributes, arguments, environment)
            }
        }
        // Needed until the child has been created.
        withExtendedLifetime((duplicates, configuration)) {}
        if code != 0 {
            // The call does not report which file is missing.
            let isNullMissing = given.contains { $0 == nil } && (try? System.status(at: Self.null)) == .some(nil)
            let call: StaticString = isNullMissing ? "open /dev/null for" : "start"
            throw SystemError(call: call, errno: code, subject: configuration.path)
        }
        id = child
    }

    /// Waits until the child has ended. Called once.
    package func wait() throws(SystemError) -> ProcessEnd {
        while true {
            if let end = try System.waitForProcess(id) { return end }
        }
    }

    /// Like `wait`, but returns nil after `milliseconds`.
    package func wait(milliseconds: Int) throws(SystemError) -> ProcessEnd? {
        let descriptor = try System.processDescriptor(id)
        _ = try System.poll([PollInterest(descriptor.raw, .readable)], milliseconds: milliseconds)
        return try System.waitForProcess(id, hang: false)
    }

    package func kill(_ signal: CInt) throws(SystemError) {
        try System.kill(id, signal)
    }

    /// Sends a signal to the child and its children, if it was started in a new group or session.
    package func killGroup(_ signal: CInt) throws(SystemError) {
        try System.kill(-id, signal)
    }
}

/// Calls the closure with the strings as a null-terminated array.
private func withCStrings<Result>(
    _ strings: [SystemString],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    // Copied, because the bytes of a string are valid only in one closure.
    let copies = strings.map { $0.withPath { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
