import FoundationEssentials
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

/// The order in which waiting tasks of the main actor resume.
@Suite(.inProcess)
struct ResultOrderTests {
    @Test("Tasks of the main actor get their results in the order in which the broker sent them")
    @MainActor
    func order() async throws {
        let pair = try Socket.pair()
        let own = DescriptorBox(try System.duplicate(pair.first.raw))
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        let connection = PasteboardConnection { _ in
            BrokerSocket(descriptor: try System.duplicate(own.raw), path: "test")
        }
        let count = 20
        var lines: [String] = []
        let tasks = (0..<count).map { number in
            Task {
                let name = "\(number)"
                _ = try await Pasteboard(name: .init(rawValue: name), connection: connection).contents()
                lines.append(name)
            }
        }
        // The broker answers the requests in reverse order, with one write. Its calls block, so they run on another
        // thread.
        let answered = try await ThreadPool.files.value {
            try peer.welcome()
            var requests: [(board: String, stream: UInt64)] = []
            while requests.count < count {
                let frame = try peer.next(.list)
                requests.append((try frame.decoded(as: List.self).board ?? "", frame.stream))
            }
            var encoder = FrameEncoder()
            for request in requests.reversed() {
                encoder.append(Contents(), stream: request.stream)
                encoder.append(End(), stream: request.stream)
            }
            try peer.write(encoder.bytes)
            return requests.reversed().map(\.board)
        }
        for task in tasks { try await task.value }
        #expect(lines == answered)
        await connection.close()
    }
}
