import Dispatch
import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

/// Extreme arguments of a program lead to an answer or to an error that names the argument, never to a crash.
@Suite(.inProcess)
struct OddValueTests {
    @discardableResult
    private func expectRefusedWrite(_ provider: ItemProvider) async throws -> PasteboardError? {
        try await TestBroker.with { broker in
            await expectError(.invalidArgument) { try await broker.pasteboard().write([provider]) }
        }
    }

    @Test("A timeout may have the greatest possible duration", arguments: LoadPlace.allCases)
    func longTimeout(place: LoadPlace) async throws {
        try await place.with(.text("whole")) { provider in
            for timeout in [Duration.seconds(Int64.max), .seconds(Int64.max / 1_000), .nanoseconds(Int64.max)] {
                let data = try await provider.loadData(for: .text, options: LoadOptions(timeout: timeout))
                #expect(data == Data("whole".utf8))
                let chunks = try await provider.loadBytes(for: .text, options: LoadOptions(timeout: timeout))
                for try await chunk in chunks { #expect(chunk == data) }
                try await provider.withLoadedFile(for: .text, options: LoadOptions(timeout: timeout)) { _ in }
            }
        }
    }

    @Test("A timeout of zero or less has passed before the load begins", arguments: LoadPlace.allCases)
    func shortTimeout(place: LoadPlace) async throws {
        let end = Gate()
        defer { end.open() }
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) {
            await end.wait()
            return Data()
        }
        try await place.with(provider) { provider in
            for timeout in [Duration.seconds(-1), .seconds(Int64.min), .zero, .nanoseconds(1)] {
                let error = await #expect(throws: PasteboardError.self) {
                    try await provider.loadData(for: .png, options: LoadOptions(timeout: timeout))
                }
                #expect(error?.code == .timeout, "\(timeout)")
            }
        }
    }

    @Test("The time limit of a registration may have any value", arguments: LoadPlace.allCases)
    func limits(place: LoadPlace) async throws {
        for limit in [Duration.seconds(Int64.max), .seconds(600), .seconds(601)] {
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .png, firstByteTimeout: limit) { Data([1]) }
            try await place.with(provider) { provider in
                let data = try await provider.loadData(for: .png)
                #expect(data == Data([1]))
            }
        }
        let end = Gate()
        defer { end.open() }
        for limit in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .png, firstByteTimeout: limit) {
                await end.wait()
                return Data()
            }
            try await place.with(provider) { provider in
                let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .png) }
                #expect(error?.code == .sourceStalled, "\(limit)")
            }
        }
    }

    @Test("Team data may have 8 KiB at most")
    func teamData() async throws {
        let provider = ItemProvider.text("a")
        provider.teamData = Data(count: 8_193)
        try await expectRefusedWrite(provider)
        provider.teamData = Data(repeating: 7, count: 8_192)
        try await LoadPlace.there.with(provider) { provider in
            #expect(provider.teamData == Data(repeating: 7, count: 8_192))
        }
    }

    @Test(
        "A title longer than 1 KiB is refused; control characters are removed, and no file is named after it",
        arguments: LoadPlace.brokers
    )
    func title(place: LoadPlace) async throws {
        let provider = ItemProvider.text("a")
        provider.title = String(repeating: "é", count: 513)
        let error = try await expectRefusedWrite(provider)
        #expect(error?.message.contains("1026 bytes") == true)
        provider.title = "../Notes on \u{1B}[31mtwo/three"
        #expect(provider.copy().title == provider.title)
        try await place.with(provider) { provider in
            #expect(provider.title == "../Notes on [31mtwo/three" && provider.suggestedName == nil)
            try await provider.withLoadedFile(for: .text) { file in
                #expect(file.value.lastPathComponent == "pasted.txt")
            }
        }
    }

    @Test("An impossible size counts as unknown, and an overlong name is cut", arguments: LoadPlace.brokers)
    func metadata(place: LoadPlace) async throws {
        for length in [Double.nan, .infinity, -1, 1e300] {
            let provider = ItemProvider.text("a")
            provider.preferredPresentationSize = CGSize(width: length, height: 2)
            provider.suggestedName = String(repeating: "é", count: 20_000)
            try await place.with(provider) { provider in
                #expect(provider.preferredPresentationSize == CGSize(width: 0, height: 2), "\(length)")
                let name = try #require(provider.suggestedName)
                #expect(name == String(repeating: "é", count: 127))
            }
        }
    }

    @Test(
        "An invalid type identifier is reported when its item is written",
        .tags(.f17),
        arguments: ["", "a b", "a/b", "text/plain", "a\u{202E}b"]
    )
    func identifiers(identifier: String) async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: identifier) { completion in
            completion(Data([1]), nil)
            return nil
        }
        try await expectRefusedWrite(provider)
        _ = try await LoadPlace.there.with(.text("a")) { provider in
            await expectError(.typeUnavailable) {
                try await provider.loadData(for: UniformType(importedAs: identifier))
            }
        }
    }

    @Test("A URL that does not name a file fails the load", arguments: LoadPlace.allCases)
    func notAFile(place: LoadPlace) async throws {
        let provider = ItemProvider()
        let url = try #require(URL(string: "https://example.org/a"))
        provider.registerFileRepresentation(for: .png, openInPlace: true) { url }
        try await place.with(provider) { provider in
            for form in LoadedForm.allCases where form != .object {
                let outcome = try await form.load(.data, from: provider)
                #expect(outcome == .failure(.sourceFailed), "\(form)")
            }
        }
    }

    @Test("In each form, a load of replaced contents fails as superseded", arguments: LoadedForm.allCases)
    func replaced(form: LoadedForm) async throws {
        try await TestBroker.with { broker in
            let (source, board) = (broker.pasteboard(), broker.pasteboard())
            try await source.write([.text("old")])
            let item = try #require(try await board.contents().items.first)
            try await source.write([.text("new")])
            let outcome = try await form.load(.object, from: item.itemProvider)
            #expect(outcome == .failure(.superseded))
        }
    }

    @Test("A handler may report any numbers as its progress", arguments: LoadPlace.allCases)
    func reports(place: LoadPlace) async throws {
        let numbers: [(Int64, Int64)] = [
            (-5, 10), (5, -10), (.max, 1), (.max, .max), (.min, .min), (0, 0), (.min, .max), (7, 3),
        ]
        for (completed, total) in numbers {
            let (seen, provider) = (Gate(), ItemProvider())
            provider.registerByteStream(for: .png) { writer in
                writer.progress.totalUnitCount = total
                writer.progress.completedUnitCount = completed
                let child = LoadProgress(totalUnitCount: 1)
                writer.progress.addChild(child, withPendingUnitCount: .max)
                child.completedUnitCount = 1
                try await writer.write(Data([1]))
                seen.open()
            }
            try await place.with(provider) { provider in
                let progress = LoadProgress()
                let data = try await provider.loadData(for: .png, progress: progress)
                #expect(data == Data([1]) && progress.isFinished && progress.fractionCompleted == 1)
                await seen.wait()
            }
        }
    }

    @Test("Callbacks may block until other loads have ended", .tags(.f49), arguments: LoadPlace.allCases)
    func blocking(place: LoadPlace) async throws {
        let provider = ItemProvider.text("whole")
        try await place.with(provider) { provider in
            let (count, all) = (40, Gate())
            let done = Counter()
            for _ in 0..<count {
                provider.loadDataRepresentation(for: .text) { data, _ in
                    // Programs that were written for dispatch queues block in this way.
                    let inner = DispatchSemaphore(value: 0)
                    provider.loadFileRepresentation(forTypeIdentifier: "public.text") { url, _ in
                        let contents = url.flatMap { try? Data(contentsOf: $0) }
                        #expect(contents == data && data != nil)
                        inner.signal()
                    }
                    inner.wait()
                    if done.increment() == count { all.open() }
                }
            }
            await all.wait()
        }
    }

    @Test("A provider can be made from the URL of a regular file or folder, also through a link, and from no other")
    func contentsOf() throws {
        let directory = try TemporaryDirectory()
        let names = ["fifo", "dangling", "link", "folderLink"]
        try directory.write("text", to: "file.txt")
        _ = try directory.makeDirectory("folder")
        let make = "mkfifo fifo; ln -s nowhere dangling; ln -s file.txt link; ln -s folder folderLink; ln -s loop loop"
        let shell = try ProcessRunner("/bin/sh", ["-c", make], environment: [:], directory: directory.path)
        #expect(try shell.finish().exitCode == 0)
        let types = names.map { ItemProvider(contentsOf: URL(filePath: directory[$0]))?.registeredContentTypes.first }
        // The link has no extension, and its target is a text.
        #expect(types == [nil, nil, .utf8PlainText, .folder])
        #expect(ItemProvider(contentsOf: URL(filePath: directory["loop"])) == nil)
    }
}
