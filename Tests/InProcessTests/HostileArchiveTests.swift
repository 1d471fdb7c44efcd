import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Folders of a source that is nobody's friend: whatever its archive says, nothing outside of the tree is written, and
/// nothing from outside gets in.
@ProcessTesting
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: System.isExecutable("/usr/bin/tar"), "needs tar"))
struct HostileArchiveTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Data("secret".utf8).write(to: URL(filePath: "\(directory.path)/secret"))
        try FileManager.default.createDirectory(atPath: "\(directory.path)/victim", withIntermediateDirectories: true)
    }

    /// One entry of an archive in the format of ustar.
    private struct Member {
        var name: String
        var kind: Character = "0"
        var link = ""
        var contents = ""

        var bytes: [UInt8] {
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at offset: Int) {
                for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
            }
            func octal(_ number: Int, _ count: Int) -> String {
                let digits = String(number, radix: 8)
                return String(repeating: "0", count: count - digits.count) + digits
            }
            put(name, at: 0)
            put("0000755", at: 100)
            put(octal(contents.utf8.count, 11), at: 124)
            put("00000000000", at: 136)
            put("        ", at: 148)
            put(String(kind), at: 156)
            put(link, at: 157)
            put("ustar\0" + "00", at: 257)
            put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
            let rest = (512 - contents.utf8.count % 512) % 512
            return header + Array(contents.utf8) + [UInt8](repeating: 0, count: rest)
        }
    }

    private enum Attempt: String, CaseIterable {
        case absolute, parent, doubleSlash, linkThenFile, hardLink, twoFolders, onlyFile, empty

        func members(_ outside: String) -> [Member] {
            let folder = Member(name: "f/", kind: "5")
            return switch self {
            case .absolute: [folder, Member(name: "\(outside)/victim/x", contents: "evil")]
            case .parent: [folder, Member(name: "f/../../../\(outside)/victim/x", contents: "evil")]
            case .doubleSlash: [folder, Member(name: "f/\(outside)/victim/x", contents: "evil")]
            case .linkThenFile:
                [
                    folder, Member(name: "f/l", kind: "2", link: "\(outside)/victim"),
                    Member(name: "f/l/x", contents: "evil"),
                ]
            case .hardLink: [folder, Member(name: "f/x", kind: "1", link: "\(outside)/secret")]
            case .twoFolders: [folder, Member(name: "g/", kind: "5"), Member(name: "g/x", contents: "evil")]
            case .onlyFile: [Member(name: "f", contents: "evil")]
            case .empty: []
            }
        }
    }

    @Test("Nothing gets out of the tree, or in", arguments: Attempt.allCases)
    private func attempts(attempt: Attempt) async throws {
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
            answer.content = 1
            try peer.send(answer, stream: ask.stream)
            let bytes = attempt.members(outside).flatMap(\.bytes) + [UInt8](repeating: 0, count: 1_024)
            try peer.sendData(bytes, stream: ask.stream, last: true)
            // Refused or not: what counts is what is there afterwards.
            _ = await load.result
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(outside)/victim").isEmpty)
            #expect(try Data(contentsOf: URL(filePath: "\(outside)/secret")) == Data("secret".utf8))
        }
    }
}
