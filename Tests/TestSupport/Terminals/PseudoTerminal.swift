package import Glibc
import PasteboardTransport

/// A pseudoterminal. The test types into it and reads what programs write to its other side.
package final class PseudoTerminal {
    /// The two requests that set up a pseudoterminal, which Glibc does not export to Swift.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// The path of the side for programs.
    package let path: String
    private var own: DescriptorBox?
    /// Kept open so that the settings outlive a program, as under a shell.
    private let device: DescriptorBox

    /// - Parameter processesOutput: whether a carriage return is added before a newline, as under a shell.
    package init(processesOutput: Bool = false) throws {
        let own = DescriptorBox(OwnedDescriptor(adopting: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)))
        var zero: CInt = 0
        var index: CInt = 0
        guard ioctl(own.raw, Self.unlock, &zero) == 0, ioctl(own.raw, Self.number, &index) == 0 else {
            throw SystemError(call: "ioctl", errno: errno, subject: "/dev/ptmx")
        }
        path = "/dev/pts/\(index)"
        device = DescriptorBox(OwnedDescriptor(adopting: open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)))
        self.own = own
        guard !processesOutput else { return }
        var settings = settings
        settings.c_oflag &= ~tcflag_t(OPOST)
        tcsetattr(device.raw, TCSANOW, &settings)
    }

    /// The descriptor of the test's side, or -1 after `hangUp()`.
    package var line: CInt { own?.raw ?? -1 }

    /// The descriptor of the side for programs.
    package var other: CInt { device.raw }

    package var settings: termios {
        var settings = termios()
        tcgetattr(device.raw, &settings)
        return settings
    }

    package func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(line, UInt(TIOCSWINSZ), &size)
    }

    package func type(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: line)
    }

    /// The output so far.
    package func shown() throws -> String {
        var bytes: [UInt8] = []
        while try !System.poll([PollInterest(line, .readable)], milliseconds: 0)[0].isEmpty {
            bytes += try System.read(line, upTo: 4096)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Closes the test's side, so that programs are left without a terminal.
    package func hangUp() { own = nil }
}
