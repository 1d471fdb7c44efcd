import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Folders from a hostile source: whatever its archive contains, nothing is written outside of the loaded tree, and no
/// file from outside gets into it.
@Suite(.pure, .enabled(if: System.isExecutable("/usr/bin/tar"), "needs tar"))
struct HostileArchiveTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Data("secret".utf8).write(to: URL(filePath: "\(directory.path)/secret"))
        try FileManager.default.createDirectory(atPath: "\(directory.path)/victim", withIntermediateDirectories: true)
    }

    @Test(
        "A hostile archive neither writes outside of the loaded tree nor brings outside files into it",
        arguments: HostileArchive.allCases
    )
    func attempts(attempt: HostileArchive) async throws {
        let outside = directory.path
        try await TestBroker.with { broker in
            let deadline = MonotonicClock.deadline(milliseconds: ScriptedPeer.watchdog)
            let peer = ScriptedPeer(try Socket.connect(path: "\(broker.directory)/socket", deadline: deadline))
            try peer.send(Hello(), stream: 0)
            try peer.send(Write(), stream: 1)
            var representation = PasteboardWire.Representation()
            representation.type = "public.folder"
            var item = Item()
            item.representations = [representation]
            item.suggestedName = "../innocent"
            try peer.send(item, stream: 1)
            try peer.send(Commit(), stream: 1)
            _ = try peer.next(.committed)
            let provider = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let load = Task.detached {
                try await provider.withLoadedFile(for: .folder) { loaded in
                    #expect(loaded.value.lastPathComponent == "_innocent")
                    let secret = try? Data(contentsOf: loaded.value.appending(path: "x"))
                    #expect(secret != Data("secret".utf8))
                }
            }
            let ask = try peer.next(.ask)
            var answer = Answer()
            answer.content = .folderArchive
            try peer.send(answer, stream: ask.stream)
            try peer.sendData(attempt.bytes(outside), stream: ask.stream, last: true)
            // The load may succeed or fail. Only the files on disk afterwards matter.
            _ = await load.result
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(outside)/victim").isEmpty)
            #expect(try Data(contentsOf: URL(filePath: "\(outside)/secret")) == Data("secret".utf8))
        }
    }
}
