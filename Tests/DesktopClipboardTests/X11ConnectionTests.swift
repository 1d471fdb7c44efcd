import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import DesktopClipboard

/// The greeting of an X server that a test plays.
@Suite(.inProcess) struct X11ConnectionTests {
    /// Connects to servers that send these bytes, one server after the other, each of which then closes the connection;
    /// the last one does not.
    private static func connect(_ answers: [[UInt8]]) async throws -> (root: UInt32, connections: Int) {
        let loop = try Loop()
        try loop.start(named: "test-loop", stackSize: 1 << 20)
        defer { loop.end() }
        var far: [DescriptorBox] = []
        var connections = 0
        defer { withExtendedLifetime(far) {} }
        let connection = try await X11Connection(X11Authority.none, on: loop) { _ in
            let (near, server) = try Socket.pair().shared()
            let answer = answers[min(connections, answers.count - 1)]
            try System.write(answer.span, to: server.raw)
            connections += 1
            if connections >= answers.count { far.append(server) }
            return DescriptorBox(try System.duplicate(near.raw))
        }
        return (connection.setup.root, connections)
    }

    /// An event that all programs get, and the answer that there is an extension, or none.
    private static func extension_(exists: Bool = true) -> [UInt8] {
        let event = [34] + [UInt8](repeating: 0, count: 31)
        return event + [1, 0, 1, 0, 0, 0, 0, 0, exists ? 1 : 0, 140, 90, 0] + [UInt8](repeating: 0, count: 20)
    }

    @Test("A server that begins anew, and closes the connections that come meanwhile, is asked again")
    func again() async throws {
        let setup = DecoderTests.setup()
        let (root, connections) = try await Self.connect([
            [], Array(setup.dropLast()), setup, setup + Self.extension_(),
        ])
        #expect((root, connections) == (1_349, 4))
    }

    @Test("A server without the extension XFIXES cannot be used, and is not asked again")
    func noExtension() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await Self.connect([DecoderTests.setup() + Self.extension_(exists: false)])
        }
        #expect(failure?.text.hasPrefix("the X server has no XFIXES extension; ") == true)
    }

    @Test("A server that closes every connection is asked for a second, and then a missing cookie is named")
    func closed() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await Self.connect(Array(repeating: [], count: 30))
        }
        #expect(failure?.text == "the X server has closed the connection; there is no cookie for it, see XAUTHORITY")
    }
}
