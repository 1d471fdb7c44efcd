import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

@Suite(.processes)
struct IdleBrokerTests {
    @Test("A broker with idle-exit ends once no client is connected, and leaves no socket")
    func idle() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), limits: ["idle-exit=3s"])
        do {
            let connection = try broker.connect()
            _ = try connection.status()
        }
        try broker.expectEnd()
        #expect(try System.status(at: broker.place.socket) == nil)
    }
}
