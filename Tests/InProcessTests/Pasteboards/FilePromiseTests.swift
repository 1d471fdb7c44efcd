import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// File promises in AppKit's names.
@Suite(.inProcess)
struct FilePromiseTests {
    /// Writes the text of its promise's `userInfo`, or fails without one.
    private final class Writer: NSObject, NSFilePromiseProviderDelegate {
        let directories = Lock<[String]>([])
        let queue = OperationQueue()
        let name: String

        init(_ name: String) {
            self.name = name
        }

        func filePromiseProvider(_ provider: NSFilePromiseProvider, fileNameForType fileType: String) -> String { name }

        func operationQueue(for provider: NSFilePromiseProvider) -> OperationQueue { queue }

        func filePromiseProvider(
            _ provider: NSFilePromiseProvider,
            writePromiseTo url: URL,
            completionHandler: @escaping ((any Error)?) -> Void
        ) {
            #expect(OperationQueue.current === queue)
            directories.withLock { $0.append(url.deletingLastPathComponent().path) }
            do {
                guard let text = provider.userInfo as? String else { throw CocoaError(.fileNoSuchFile) }
                var file = url
                if provider.fileType == UTType.folder.identifier {
                    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                    file.append(path: "file")
                }
                try Data(text.utf8).write(to: file)
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// Offers an address beside the file.
    private final class AddressedPromise: NSFilePromiseProvider {
        override func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
            super.writableTypes(for: pasteboard) + [.fileURL]
        }

        override func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
            type == .fileURL ? "file:///nowhere/a.txt" : super.pasteboardPropertyList(forType: type)
        }
    }

    private let desk: TemporaryDirectory

    init() throws {
        desk = try TemporaryDirectory()
    }

    private func promise(_ type: UTType, by writer: Writer, _ text: String?) -> NSFilePromiseProvider {
        let promise = AddressedPromise(fileType: type.identifier, delegate: writer)
        promise.userInfo = text
        return promise
    }

    private func receivers(_ pasteboard: Pasteboard) async throws -> [NSFilePromiseReceiver] {
        let classes = [NSFilePromiseReceiver.self, NSURL.self, NSString.self]
        let objects = try await NSPasteboard(pasteboard).readObjects(forClasses: classes)
        return objects?.compactMap { $0 as? NSFilePromiseReceiver } ?? []
    }

    private func receive(_ receiver: NSFilePromiseReceiver) async -> (name: String, error: (any Error)?) {
        let queue = OperationQueue()
        return await withCheckedContinuation { continuation in
            receiver.receivePromisedFiles(atDestination: URL(filePath: desk.path), operationQueue: queue) {
                #expect(OperationQueue.current === queue)
                continuation.resume(returning: ($0.lastPathComponent, $1))
            }
            #expect(receiver.fileNames.count == 1)
        }
    }

    @Test("A promised file gets its delegate's name, or a free one, and its temporary directory is removed")
    func files() async throws {
        try await TestBroker.with { broker in
            let (writer, source) = (Writer("a/b.txt"), NSPasteboard(broker.pasteboard()))
            try await source.clearContents()
            try await source.writeObjects([promise(.plainText, by: writer, "one"), promise(.data, by: writer, "two")])
            try desk.write("mine", to: "a_b.txt")
            let receivers = try await receivers(broker.pasteboard())
            #expect(receivers.map(\.fileTypes) == [["public.plain-text"], ["public.data"]])
            #expect(receivers.allSatisfy(\.fileNames.isEmpty) && writer.directories.withLock(\.isEmpty))
            for (receiver, name) in zip(receivers, ["a_b 2.txt", "a_b 3.txt"]) {
                let received = await receive(receiver)
                #expect(received.name == name && received.error == nil && receiver.fileNames == [name])
            }
            #expect(desk.names() == ["a_b 2.txt", "a_b 3.txt", "a_b.txt"])
            let texts = try desk.names().map { String(decoding: try desk.contents(of: $0), as: UTF8.self) }
            #expect(texts == ["one", "two", "mine"])
            for directory in writer.directories.withLock({ $0 }) {
                try await eventually("the directory is removed") { try System.status(at: directory) == nil }
            }
        }
    }

    @Test("A promised folder arrives with its files, and its temporary directory is removed")
    func folders() async throws {
        try await TestBroker.with { broker in
            let (writer, source) = (Writer("tree"), NSPasteboard(broker.pasteboard()))
            try await source.clearContents()
            try await source.writeObjects([promise(.folder, by: writer, "leaf")])
            let received = await receive(try #require(try await receivers(broker.pasteboard()).first))
            try #require(received.error == nil)
            #expect(received.name == "tree")
            #expect(try desk.contents(of: "tree/file") == Array("leaf".utf8))
            let directory = try #require(writer.directories.withLock { $0.first })
            try await eventually("the directory is removed") { try System.status(at: directory) == nil }
        }
    }

    @Test("The delegate's error reaches the reader, and no file is left; the pasteboard keeps the delegate")
    func failing() async throws {
        try await TestBroker.with { broker in
            let source = NSPasteboard(broker.pasteboard())
            try await source.clearContents()
            var writer: Writer? = Writer("a.png")
            try await source.writeObjects([promise(.png, by: try #require(writer), nil)])
            writer = nil
            let received = await receive(try #require(try await receivers(broker.pasteboard()).first))
            let error = try #require(received.error as? PasteboardError)
            #expect(error.code == .sourceFailed && error.sourceError?.code == CocoaError.fileNoSuchFile.rawValue)
            #expect(desk.names().isEmpty)
        }
    }

    @Test("A receiver reads the files of other programs, and neither their text, URLs nor kept bytes")
    func others() async throws {
        try await TestBroker.with { broker in
            let file = URL(filePath: try desk.write("note", to: "note.txt"))
            let image = ItemProvider()
            image.registerFileRepresentation(for: .png) { file }
            let source = broker.pasteboard()
            try await source.write([try #require(ItemProvider(contentsOf: file)), image])
            let receivers = try await receivers(broker.pasteboard())
            #expect(receivers.map(\.fileTypes) == [["public.plain-text"], ["public.png"]])
            #expect(await receive(receivers[0]).name == "note 2.txt")
            #expect(await receive(receivers[1]).name == "note.txt.png")
            try await source.write("text")
            #expect(try await self.receivers(broker.pasteboard()).isEmpty)
            try await source.write(file)
            #expect(try await self.receivers(broker.pasteboard()).isEmpty)
            let bytes = ItemProvider.making(.png) { Data([1]) }
            try await source.write([bytes], keeps: .everything)
            #expect(try await self.receivers(broker.pasteboard()).isEmpty)
        }
    }
}
