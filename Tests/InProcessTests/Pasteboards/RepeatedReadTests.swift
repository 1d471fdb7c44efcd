import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Reads of a pasteboard that other programs write again and again.
@Suite(.inProcess)
struct RepeatedReadTests {
    /// Runs `body` while four programs each write two items 50 times. The writes end, so that each read does.
    private func whileWriting(_ body: (Pasteboard) async throws -> Void) async throws {
        try await TestBroker.with { broker in
            try await broker.pasteboard().write(items("start"), keeps: .everything)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    let pasteboard = broker.pasteboard()
                    group.addTask {
                        for _ in 0..<50 where !Task.isCancelled {
                            try await pasteboard.write(items("\(writer)"), keeps: .everything)
                        }
                    }
                }
                try await body(broker.pasteboard())
                group.cancelAll()
                while let result = await group.nextResult() {
                    if case .failure(let error as PasteboardError) = result { #expect(error.code == .cancelled) }
                }
            }
        }
    }

    private func items(_ text: String) -> [ItemProvider] { [.text(text), .text(text)] }

    @Test("Reads of the first item succeed as soon as four programs pause that replace the contents")
    func first() async throws {
        for _ in 0..<5 {
            try await whileWriting { pasteboard in
                let text = try await pasteboard.string
                let data = try await pasteboard.loadData(for: .plainText)
                let progress = LoadProgress()
                let object = try await pasteboard.load(String.self, progress: progress)
                #expect(text != nil && data != nil && object != nil)
                #expect(progress.isFinished)
            }
        }
    }

    @Test("Reads of all items find those of one write as soon as four programs pause that replace the contents")
    func all() async throws {
        for _ in 0..<5 {
            try await whileWriting { pasteboard in
                let texts = try await UIPasteboard(pasteboard).strings
                #expect(texts?.count == 2 && texts?.first == texts?.last)
            }
            try await whileWriting { pasteboard in
                let joined = try await NSPasteboard(pasteboard).string(forType: .string)
                #expect(Set(joined?.split(separator: "\n") ?? []).count == 1)
            }
            try await whileWriting { pasteboard in
                let objects = try await NSPasteboard(pasteboard).readObjects(forClasses: [NSString.self])
                #expect(objects?.count == 2)
            }
            try await whileWriting { pasteboard in
                _ = try await UIPasteboard(pasteboard).detectedPatterns(for: [.number])
            }
        }
    }
}
