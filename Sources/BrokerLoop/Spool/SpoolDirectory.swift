package import PasteboardTransport
package import PasteboardWire

/// The directory of the spool, which one broker of this user has at a time.
///
/// The broker has it while its descriptor is open, so the broker's service manager passes it on to the next broker.
package struct SpoolDirectory: Sendable {
    /// The name of the descriptor that the service manager passes.
    static let name = "spool"
    /// The time for which a broker waits until another one has finished its writes, in milliseconds.
    package static let patience = 2_000
    private static let interval = 20

    let descriptor: DescriptorBox
    /// Whether a service manager has passed it. Then the manager has everything that is in it and was not removed.
    let isInherited: Bool

    /// Takes over the directory from the broker before, through the service manager; nil if it was not passed.
    package init?(_ passed: [ServiceManager.Passed]) {
        guard let passed = passed.first(where: { $0.name == Self.name }) else { return nil }
        descriptor = passed.descriptor
        isInherited = true
    }

    /// Opens the directory, which is created if it is missing.
    ///
    /// - Parameter patience: the time for which to wait while another broker has it, in milliseconds.
    package init(at path: String, patience: Int = patience) throws(Failure) {
        isInherited = false
        do throws(SystemError) {
            try System.makeDirectories(path)
            descriptor = DescriptorBox(try System.open(path, [.directory, .notFollowingLinks]))
            let status = try System.status(of: descriptor.raw)
            guard status.owner == System.userID else {
                throw SystemError(call: "open", errno: 1, subject: "\(path), which belongs to user \(status.owner)")
            }
            if status.mode & 0o077 != 0 { try System.setMode(0o700, of: descriptor.raw) }
            for _ in 0..<(patience / Self.interval) where try !System.lock(descriptor.raw) {
                _ = try System.poll([], milliseconds: Self.interval)
            }
            if try System.lock(descriptor.raw) { return }
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
        throw Failure(.brokerUnavailable, "another broker uses \(path)")
    }

    /// The well-known path: `pasteboard/spool` in the user's directory for state.
    package static func wellKnownPath() throws(Failure) -> String {
        if let state = System.environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/pasteboard/spool" }
        if let home = System.environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/pasteboard/spool" }
        throw Failure(.brokerUnavailable, "neither XDG_STATE_HOME nor HOME is an absolute path")
    }

    // MARK: Files

    /// The end of the name of a file that is not complete yet.
    private static let unfinished = ".new"

    static func unfinishedName(_ number: UInt64) -> SystemString { SystemString("\(number)\(unfinished)") }
    static func name(_ number: UInt64) -> SystemString { SystemString("\(number)") }

    /// The numbers of the complete files. Those that an earlier broker has not completed are removed.
    func numbers() throws(SystemError) -> [UInt64] {
        var numbers: [UInt64] = []
        for name in try System.entries(of: descriptor.raw) {
            guard let text = name.text else { continue }
            if let number = UInt64(text) {
                numbers.append(number)
            } else if text.hasSuffix(Self.unfinished), UInt64(text.dropLast(Self.unfinished.count)) != nil {
                try? System.unlink(name, in: descriptor.raw)
            }
        }
        return numbers
    }

    /// Opens a file that this user has written.
    func open(_ number: UInt64) throws(Failure) -> OwnedDescriptor {
        do throws(SystemError) {
            // A pipe would wait for a writer.
            let file = try System.open(
                Self.name(number),
                in: descriptor.raw,
                [.reading, .notFollowingLinks, .nonBlocking]
            )
            let status = try System.status(of: file.raw)
            if status.kind == .regular, status.owner == System.userID { return file }
        } catch {
            throw Failure(.sourceFailed, "\(error)")
        }
        throw Failure(.invalidArgument, "it is not a file of this user")
    }
}
