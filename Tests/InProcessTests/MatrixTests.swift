import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Each kind of registration, loaded in each way, from each place.
@Suite(.timeLimit(.minutes(1)), .enabled(if: System.isExecutable("/usr/bin/tar"), "needs tar"))
struct MatrixTests {
    struct Cell: CustomTestStringConvertible {
        let kind: RegisteredKind
        let form: LoadedForm

        static let all = RegisteredKind.allCases.flatMap { kind in
            LoadedForm.allCases.map { Cell(kind: kind, form: $0) }
        }

        var testDescription: String { "\(kind) as \(form)" }

        /// What has to come of it.
        func outcome(_ place: LoadPlace) -> LoadedForm.Outcome {
            switch (form, kind.bytes) {
            case (.data, let bytes?), (.chunks, let bytes?):
                .bytes(bytes, kind.given)
            case (.data, nil), (.chunks, nil):
                .archive(RegisteredKind.tree.keys.map { "\(kind.fileName)/\($0)" }.sorted())
            case (.file, let bytes?):
                .file(kind.fileName, bytes, kind.given, isInPlace: false)
            case (.inPlace, let bytes?):
                // A file alone, and where its descriptor can be passed.
                .file(kind.fileName, bytes, kind.given, isInPlace: kind == .file && place != .inline)
            case (.file, nil), (.inPlace, nil):
                .tree(kind.fileName, RegisteredKind.tree, kind.given)
            case (.object, let bytes?):
                .object(bytes)
            case (.object, nil):
                // No class reads a folder: it is no `public.data`.
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
            // Asking and loading have one judge.
            #expect(provider.canLoadObject(ofClass: cell.kind.objectClass) == (cell.kind != .folder))
        }
        withExtendedLifetime(directory) {}
    }

    @Test("A type that is not there fails in each form, and no handler is asked", arguments: LoadPlace.allCases)
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
