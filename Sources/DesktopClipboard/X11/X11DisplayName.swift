import PasteboardTransport
package import PasteboardWire

/// The address of an X server, as `DISPLAY` has it: `:1`, `:1.0`, or `localhost:10` for one that ssh forwards.
package struct X11DisplayName: Sendable, Equatable {
    /// The port of display 0. An X server takes no number whose port would be too high.
    private static let port = 6_000

    package let number: Int
    /// Whether it is reached over TCP, so that its programs may run on another machine.
    package let isForwarded: Bool

    package init(_ text: String) throws(Failure) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.first ?? ""
        let number = parts.count == 2 ? parts[1].split(separator: ".").first.flatMap { Int($0) } : nil
        guard let number, 0...Int(UInt16.max) - Self.port ~= number,
            ["", "unix", "localhost", "127.0.0.1"].contains(host)
        else {
            throw Failure(
                .invalidArgument,
                "invalid display '\(text)'; write :0, or localhost:10 for a display that ssh forwards"
            )
        }
        (self.number, isForwarded) = (number, !["", "unix"].contains(host))
    }

    package var text: String { "\(isForwarded ? "localhost" : ""):\(number)" }

    /// Connects to a server that runs as this user, as root, or as the user of the previous connection. Only the first
    /// connection may be to any other user's server: everybody can start a server under a free number, and would get
    /// all that is copied.
    ///
    /// - Parameter user: the user of the server at the previous connection; nil at the first connection.
    func connect(until deadline: UInt64, to user: UInt32?) throws -> DescriptorBox {
        guard !isForwarded else {
            return DescriptorBox(try Socket.connect(localPort: UInt16(clamping: Self.port + number)))
        }
        let path = "/tmp/.X11-unix/X\(number)"
        var (first, failure): (DescriptorBox?, SystemError?)
        // The abstract name belongs to the network of a container, the path to its files; either may be shared.
        for address in ["@\(path)", path] {
            do throws(SystemError) {
                let socket = DescriptorBox(try Socket.connect(path: address, deadline: deadline))
                if [0, System.userID, user].contains(Self.user(of: socket)) { return socket }
                first = first ?? socket
            } catch {
                failure = error
            }
        }
        if first == nil, let failure { throw failure }
        if user == nil, let first { return first }
        let other = first.flatMap { Self.user(of: $0) }.map { " (\($0))" } ?? ""
        throw Failure(.linkDown, "display \(text) belongs to another user now\(other)")
    }

    /// The user who runs the server; nil if it is forwarded.
    static func user(of socket: DescriptorBox) -> UInt32? {
        (try? PeerCredentials(of: socket.raw)).flatMap { $0.user == .max ? nil : $0.user }
    }
}
