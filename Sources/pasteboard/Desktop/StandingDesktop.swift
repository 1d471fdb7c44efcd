import DesktopClipboard
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A bridge to a desktop session for as long as the command runs: it connects again after each loss of the display.
final class StandingDesktop: Sendable {
    enum Choice {
        case environment
        case wayland
        case x11(X11DisplayName)
    }

    /// The time after which a connection counts as a success, so that the delays begin anew, in nanoseconds.
    private static let calm: UInt64 = 10_000_000_000

    private let choice: Choice
    private let options: DesktopBridge.Options

    init(_ choice: Choice, _ options: DesktopBridge.Options) {
        (self.choice, self.options) = (choice, options)
    }

    func run(on loop: Loop) async throws -> CInt {
        let signals = try SignalBox(interrupting: loop)
        _ = System.raiseDescriptorLimit()
        let (address, other) = try addresses()
        var (hasBegun, backoff, target, lastNote) = (false, Backoff(), address, "")
        var user: UInt32?
        let brokers = try Brokers.forBridge(on: loop, label: "desktop \(address.name)")
        defer { brokers.end() }
        // The broker makes the directory of the locks.
        _ = try await brokers.connection()
        let locks = try lock([address, other].compactMap(\.self))
        defer { withExtendedLifetime(locks) {} }
        while true {
            do {
                let display: any DesktopDisplay
                do {
                    display = try await target.connect(of: user, savesContents: options.keeps, on: loop)
                } catch let failure as Failure where failure.code == .linkDown && !hasBegun && target != other {
                    guard let other else { throw failure }
                    options.note("\(failure.text); using display \(other.name)")
                    target = other
                    continue
                }
                options.note("\(hasBegun ? "connected again" : "connected") to \(target.name)")
                (hasBegun, lastNote, user) = (true, "", display.user)
                let begin = MonotonicClock.now()
                defer { if MonotonicClock.now() - begin > Self.calm { backoff = Backoff() } }
                try await DesktopBridge(display, isRemote: target.isRemote, brokers, options).run()
            } catch {
                try signals.check()
                if let lost = error as? DesktopBridge.BrokerLost { throw lost.reason }
                let failure = error.asFailure
                // When ssh has ended, anybody on this machine can take the port of a forwarded display.
                guard hasBegun, !target.isRemote, !Task.isCancelled else { throw failure ?? error }
                let text = failure?.text ?? "\(error)"
                if exchange(&lastNote, with: text) != text { options.note("\(text); waiting for the display") }
            }
            let delay = backoff.delay(at: 0, random: .random(in: 0...1))
            await loop.sleep(until: MonotonicClock.deadline(milliseconds: min(delay, 5_000)))
            try signals.check()
        }
    }

    /// The display, and another one that shows the same clipboard and is used if the first one lets nobody watch it.
    private func addresses() throws -> (DesktopAddress, DesktopAddress?) {
        switch choice {
        case .x11(let name): return (.x11(name), nil)
        case .wayland:
            guard let path = try DesktopAddress.waylandPath() else {
                throw Failure(.nothingHere, "there is no Wayland session: WAYLAND_DISPLAY is not set")
            }
            return (.wayland(path), nil)
        case .environment:
            let address = try DesktopAddress.find()
            guard case .wayland = address, let name = System.environment("DISPLAY"), !name.isEmpty else {
                return (address, nil)
            }
            return (address, (try? X11DisplayName(name)).map { .x11($0) })
        }
    }

    private func lock(_ addresses: [DesktopAddress]) throws -> [DesktopLock] {
        let directory = try BrokerConnector().socket.directory
        return try addresses.map { address in
            guard let lock = try DesktopLock(address.lockPath(in: directory)) else {
                throw CommandFailure(
                    local:
                        "another bridge serves display \(address.name); end its process, which 'pasteboard status' lists"
                )
            }
            return lock
        }
    }
}

/// The lock of a display, as a reference for lists.
final class DesktopLock: Sendable {
    private let file: LockFile

    init?(_ path: String) throws {
        guard let file = try LockFile(path) else { return nil }
        self.file = file
    }
}
