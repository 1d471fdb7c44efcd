import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Each kind of registration, loaded in each form and in each way from source to destination.
@Suite(.inProcess, .enabled(if: System.isExecutable("/usr/bin/tar"), "needs tar"))
struct MatrixTests {
    struct Cell: CustomTestStringConvertible {
        let kind: RegisteredKind
        let form: LoadedForm

        static let all = RegisteredKind.allCases.flatMap { kind in
            LoadedForm.allCases.map { Cell(kind: kind, form: $0) }
        }

        var testDescription: String { "\(kind) as \(form)" }

        /// The expected result of the load.
        func outcome(_ place: LoadPlace) -> LoadedForm.Outcome {
            switch (form, kind.bytes) {
            case (.data, let bytes?), (.chunks, let bytes?):
                .bytes(bytes, kind.given)
            case (.data, nil), (.chunks, nil):
                .archive(RegisteredKind.tree.keys.map { "\(kind.fileName)/\($0)" }.sorted())
            case (.file, let bytes?):
                .file(kind.fileName, bytes, kind.given, isInPlace: false)
            case (.inPlace, let bytes?):
                // Only a file can be in place, and only if its descriptor can be passed.
                .file(kind.fileName, bytes, kind.given, isInPlace: kind == .file && place != .inline)
            case (.file, nil), (.inPlace, nil):
                .tree(kind.fileName, RegisteredKind.tree, kind.given)
            case (.object, let bytes?):
                .object(bytes)
            case (.object, nil):
                // No class can read a folder, because a folder does not conform to `public.data`.
                .failure(.typeUnavailable)
            }
        }
    }

    @Test("Each kind of registration can be loaded in each form", arguments: Cell.all, LoadPlace.allCases)
    func cell(cell: Cell, place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        try await place.with(cell.kind.provider(in: directory)) { provider in
            let outcome = try await cell.form.load(cell.kind, from: provider)
            #expect(outcome == cell.outcome(place))
            // `canLoadObject` and `loadObject` agree.
            #expect(provider.canLoad(cell.kind.objectClass) == (cell.kind != .folder))
        }
        withExtendedLifetime(directory) {}
    }

    @Test(
        "A kept representation is loaded with the same result in each form",
        arguments: RegisteredKind.keepable,
        LoadPlace.allCases
    )
    func kept(kind: RegisteredKind, place: LoadPlace) async throws {
        let (directory, asked) = (try TemporaryDirectory(), Counter())
        let provider = try kind.provider(in: directory, policy: .onceAndKept, asked: asked)
        try await place.with(provider) { provider in
            for form in LoadedForm.allCases {
                let outcome = try await form.load(kind, from: provider)
                // The broker keeps a copy, never the source's file.
                let expected = Cell(kind: kind, form: form).outcome(place == .here ? .here : .inline)
                #expect(outcome == expected, "\(form)")
            }
            #expect(place == .here ? asked.value > 1 : asked.value == 1)
        }
        withExtendedLifetime(directory) {}
    }

    @Test(
        "An item that was received and published again is loaded with the same result by the next destination",
        arguments: Cell.all,
        LoadPlace.brokers
    )
    func passedOn(cell: Cell, place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        try await place.with(cell.kind.provider(in: directory)) { received in
            try await place.with(received) { provider in
                let outcome = try await cell.form.load(cell.kind, from: provider)
                // An in-place file belongs to the first source, so the second one sends a copy.
                #expect(outcome == cell.outcome(.inline))
            }
        }
        withExtendedLifetime(directory) {}
    }

    @Test(
        "Text in another encoding is also available as UTF-8 to other processes, in each form",
        arguments: LoadPlace.brokers
    )
    func derived(place: LoadPlace) async throws {
        let provider = ItemProvider()
        provider.suggestedName = "note"
        provider.registerDataRepresentation(for: .png) { Data() }
        provider.registerDataRepresentation(for: .utf16PlainText) {
            Data(RegisteredKind.text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
        }
        let utf8 = Data(RegisteredKind.text.utf8)
        try await place.with(provider) { provider in
            #expect(provider.registeredContentTypes == [.png, .utf16PlainText, .utf8PlainText])
            let progress = LoadProgress()
            let loaded = try await provider.loadData(
                forFirstOf: [.utf8PlainText],
                preferring: .reader,
                progress: progress
            )
            #expect(loaded.value == utf8 && loaded.type == .utf8PlainText && progress.isFinished)
            let chunks = try await provider.loadBytes(for: .utf8PlainText)
            var joined = Data()
            for try await chunk in chunks { joined += chunk }
            #expect(joined == utf8 && chunks.type == .utf8PlainText)
            for openInPlace in [false, true] {
                let path = try await provider.withLoadedFile(for: .utf8PlainText, openInPlace: openInPlace) { file in
                    let contents = try Data(contentsOf: file.value)
                    #expect(contents == utf8 && file.type == .utf8PlainText && !file.isInPlace)
                    return file.value
                }
                #expect(path.lastPathComponent == "note.txt")
                #expect(!FileManager.default.fileExists(atPath: path.path))
            }
            let string = try await provider.load(String.self)
            #expect(string == RegisteredKind.text)
            // A load of any text gets the registered encoding.
            let native = try await provider.loadData(forFirstOf: [.text], preferring: .reader)
            #expect(native.type == .utf16PlainText)
        }
    }

    @Test("A load of a missing type fails in each form, and no handler is called", arguments: LoadPlace.allCases)
    func unavailable(place: LoadPlace) async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .plainText) {
            calls.increment()
            return Data()
        }
        try await place.with(provider) { provider in
            for kind in [RegisteredKind.data, .folder, .sharedMemory] {
                for form in LoadedForm.allCases where form != .object {
                    let outcome = try await form.load(kind, from: provider)
                    #expect(outcome == .failure(.typeUnavailable), "\(kind) as \(form)")
                }
            }
            let outcome = try await LoadedForm.object.load(.json, from: provider)
            #expect(outcome == .failure(.typeUnavailable))
            #expect(calls.value == 0)
        }
    }
}
