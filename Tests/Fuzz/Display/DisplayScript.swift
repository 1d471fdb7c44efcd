import BrokerModel
import PasteboardClient
import PasteboardWire

#if DEBUG || FUZZING
@testable import DesktopClipboard
#else
import DesktopClipboard
#endif

/// Reads an input as the bytes of a display server, in parts of any length, and as names of the desktop.
struct DisplayScript {
    private let form: UInt8
    private let cut: Int
    private let bytes: [UInt8]

    /// - Parameter bytes: one byte for the form, one for the length of the first part, and those of the server.
    init(_ bytes: [UInt8]) {
        let input = Choices(bytes)
        (form, cut) = (input.byte(), Int(input.byte()))
        self.bytes = input.rest()
    }

    func run() {
        switch form % 4 {
        case 0: try? wayland()
        case 1: try? x11()
        case 2:
            var decoder = X11Decoder()
            decoder.append(bytes)
            _ = try? decoder.setup()
        default: names()
        }
    }

    private var parts: [[UInt8]] { [Array(bytes.prefix(cut)), Array(bytes.dropFirst(cut))] }

    private func wayland() throws {
        var decoder = WaylandDecoder()
        var count = 0
        for part in parts {
            decoder.append(part)
            while var message = try decoder.next() {
                count += 1
                _ = try? message.fields.string()
                _ = try? message.fields.words()
            }
        }
        check(count <= bytes.count / 8, "there are more messages than bytes for them")
    }

    private func x11() throws {
        var decoder = X11Decoder()
        var count = 0
        for part in parts {
            decoder.append(part)
            while let packet = try decoder.next() {
                count += 1
                if case .reply(_, _, var fields) = packet { _ = try fields.words() }
            }
        }
        check(count <= bytes.count / 32, "there are more packets than bytes for them")
    }

    private func names() {
        let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let found = DesktopNames.representations(of: names)
        check(found.count <= WireLimits.representations, "an item has too many types")
        check(Set(found.map(\.representation.type)).count == found.count, "a type is there twice")
        for (_, name) in found { check(names.contains(name), "\(name) was not offered") }
        _ = try? X11DisplayName(names.first ?? "")
    }
}
