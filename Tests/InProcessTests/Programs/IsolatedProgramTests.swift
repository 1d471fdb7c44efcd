import IsolatedPrograms
import PasteboardKit
import TestSupport
import Testing

/// A program whose module is isolated to the main actor by default.
@Suite(.inProcess)
struct IsolatedProgramTests {
    @Test(
        "A program with main-actor isolation by default writes and reads its values",
        .tags(.f50),
        arguments: LoadPlace.allCases
    )
    @MainActor
    func values(place: LoadPlace) async throws {
        let (source, destination) = (Shelf(), Shelf())
        try await place.with(source.provider()) { provider in
            try await destination.take(from: provider)
            #expect(try await provider.loadData(for: .commaSeparatedText).isEmpty)
            #expect(try await provider.loadData(for: .html).count == 4)
        }
        #expect(destination.cards.map(\.name) == ["Sierra"])
        #expect(destination.notes.map(\.title) == ["Coast", "untitled"])
        #expect(destination.fileNames == ["coast.txt"])
    }
}
