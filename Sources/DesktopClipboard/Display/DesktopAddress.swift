package import PasteboardClient
import PasteboardTransport
package import PasteboardWire

/// The display server of a desktop session.
package enum DesktopAddress: Sendable, Equatable {
    /// The path of the compositor's socket.
    case wayland(String)
    case x11(X11DisplayName)

    /// The display server that the environment names, Wayland first, as other programs find it.
    package static func find() throws(Failure) -> DesktopAddress {
        let name = System.environment("DISPLAY").flatMap { $0.isEmpty ? nil : $0 }
        do throws(Failure) {
            if let path = try waylandPath() { return .wayland(path) }
        } catch {
            if name == nil { throw error }
        }
        if let name { return .x11(try X11DisplayName(name)) }
        throw Failure(
            .nothingHere,
            "there is no desktop: neither WAYLAND_DISPLAY nor DISPLAY is set; start it in the desktop session, or name "
                + "a display: --x11 :0"
        )
    }

    /// The path of the compositor's socket; nil if the environment names none.
    package static func waylandPath() throws(Failure) -> String? {
        guard let name = System.environment("WAYLAND_DISPLAY"), !name.isEmpty else { return nil }
        if name.hasPrefix("/") { return name }
        guard let directory = System.environment("XDG_RUNTIME_DIR"), !directory.isEmpty else {
            throw Failure(.invalidArgument, "WAYLAND_DISPLAY is \(name), but XDG_RUNTIME_DIR is not set")
        }
        return "\(directory)/\(name)"
    }

    /// The name for people.
    package var name: String {
        switch self {
        case .wayland(let path): path.split(separator: "/").last.map(String.init) ?? path
        case .x11(let name): name.text
        }
    }

    /// Whether it is forwarded, so that its programs and their files may be those of another machine.
    package var isRemote: Bool {
        if case .x11(let name) = self { name.isForwarded } else { false }
    }

    /// Connects to the display server.
    ///
    /// - Parameters:
    ///   - user: the user of the server at the previous connection; nil at the first connection.
    ///   - savesContents: whether programs that are about to end may have their contents kept.
    /// - Throws: `link-down`, with the display, if it cannot be reached, or belongs to another user now.
    package func connect(of user: UInt32?, savesContents: Bool, on loop: Loop) async throws -> any DesktopDisplay {
        do {
            return switch self {
            case .wayland(let path): try await WaylandClipboard(connecting: path, on: loop)
            case .x11(let name):
                try await X11Clipboard(connecting: name, of: user, savesContents: savesContents, on: loop)
            }
        } catch let error as SystemError {
            throw Failure(.linkDown, "cannot connect to display \(name): \(error)")
        }
    }

    /// The path of the lock that allows one bridge for each name of a display.
    ///
    /// - Parameter directory: the directory of the user's sockets.
    package func lockPath(in directory: String) -> String {
        let name = String(name.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" })
        return "\(directory)/desktop-\(name).lock"
    }
}
