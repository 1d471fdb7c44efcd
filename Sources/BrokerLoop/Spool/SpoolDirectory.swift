import BrokerState
import Glibc
package import PasteboardTransport
package import PasteboardWire

/// The directory of the spool, which one broker of this user has at a time.
///
/// The broker has it while its descriptor is open, so the broker's service manager passes it on to the next broker.
package struct SpoolDirectory: Sendable {
    /// The name of the descriptor that the service manager passes.
    static let name = "spool"
    /// The time for which a broker waits until another one has finished its writes, in milliseconds.
    package static let timeout = 3_000
    private static let interval = 20

    let descriptor: DescriptorBox
    /// Whether a service manager has passed the directory. Contents on disk that the manager does not have were then removed,
    /// unless they could not be restored.
    let isInherited: Bool

    /// Takes over the directory from the broker before, through the service manager; nil if it was not passed, or was
    /// removed since.
    package init?(_ passed: [ServiceManager.Passed]) {
        guard let passed = passed.first(where: { $0.name == Self.name }),
            let status = try? System.status(of: passed.descriptor.raw), status.links > 0
        else { return nil }
        descriptor = passed.descriptor
        isInherited = true
    }

    /// Opens the directory, which is created if it is missing.
    ///
    /// - Parameter timeout: the time for which to wait while another broker has it, in milliseconds.
    package init(at path: String, timeout: Int = timeout) throws(Failure) {
        isInherited = false
        do throws(SocketPathError) {
            try SocketPath.createDirectory(path)
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
        do throws(SystemError) {
            descriptor = DescriptorBox(try System.open(path, [.directory, .notFollowingLinks]))
            let status = try System.status(of: descriptor.raw)
            guard status.owner == System.userID else {
                throw SystemError(call: "open", errno: EPERM, subject: "\(path), which belongs to user \(status.owner)")
            }
            if status.mode & 0o077 != 0 { try System.setMode(0o700, of: descriptor.raw) }
            var attempts = timeout / Self.interval
            while try !System.lock(descriptor.raw) {
                guard attempts > 0 else { throw SystemError(call: "lock", errno: EBUSY, subject: path) }
                attempts -= 1
                _ = try System.poll([], milliseconds: Self.interval)
            }
        } catch {
            throw Failure(.brokerUnavailable, error.errno == EBUSY ? "another broker uses \(path)" : "\(error)")
        }
    }

    /// The well-known path: `pasteboard/spool` in the user's directory for state.
    package static func wellKnownPath() throws(Failure) -> String {
        if let state = System.environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/pasteboard/spool" }
        if let home = System.environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/pasteboard/spool" }
        throw Failure(.brokerUnavailable, "neither XDG_STATE_HOME nor HOME is an absolute path")
    }

    /// Whether a broker that starts now may find contents on the disk.
    package static var hasContents: Bool {
        guard let path = try? wellKnownPath(),
            let directory = try? System.open(path, [.directory, .notFollowingLinks]),
            let names = try? System.entries(of: directory.raw),
            names.contains(where: { UInt64($0.description) != nil })
        else { return false }
        let options = try? DaemonOptions([], reportingBadLines: { _ in })
        return options?.limits.keptOnDisk ?? 0 > 0
    }

    // MARK: Files

    /// A file with a larger number is not a broker's. So the next number does not overflow.
    private static let mostNumber = UInt64(1) << 62
    /// The end of the name of a file that is not complete yet.
    private static let unfinished = ".new"

    static func unfinishedName(_ number: UInt64) -> SystemString { SystemString("\(number)\(unfinished)") }
    static func name(_ number: UInt64) -> SystemString { SystemString("\(number)") }

    /// The numbers of the complete files. Those that an earlier broker has not completed are removed.
    func numbers() throws(SystemError) -> [UInt64] {
        var numbers: [UInt64] = []
        for name in try System.entries(of: descriptor.raw) {
            let digits = name.bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let number = UInt64(String(decoding: digits, as: UTF8.self)), number < Self.mostNumber else {
                continue
            }
            if name == Self.name(number) { numbers.append(number) }
            if name == Self.unfinishedName(number) { try? System.unlink(name, in: descriptor.raw) }
        }
        return numbers
    }

    /// Opens a file that this user has written.
    func open(_ number: UInt64) throws(Failure) -> OwnedDescriptor {
        do throws(SystemError) {
            // Without this option, the call waits until a FIFO has a writer.
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
        throw Failure(.invalidArgument, "it is not a regular file of this user")
    }
}
