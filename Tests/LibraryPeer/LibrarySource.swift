import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit

/// The role of a source.
struct LibrarySource {
    /// The settings for the next item.
    private struct Settings: Sendable {
        var name: String?
        var file = URL(filePath: "/nonexistent")
        var count = 400_000
        var visibility = ItemProviderRepresentationVisibility.all
        var waits = false
        var half = false

        mutating func set(_ word: PeerWord) throws {
            switch (word.name, word.value) {
            case ("name", let value?): name = value
            case ("file", let value?): file = URL(filePath: value)
            case ("count", .some): count = try word.number
            case ("visibility", "group"): visibility = .group
            case ("visibility", "ownProcess"): visibility = .ownProcess
            case ("waits", nil): waits = true
            case ("half", nil): half = true
            case ("group", .some): break
            default: throw Misuse()
            }
        }

        /// Reports a call of a handler.
        func called() async {
            LibraryPeer.say("asked")
            if waits { await waitForCancel() }
        }

        func waitForCancel() async {
            let (end, ends) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
                // The loop ends only when the task is cancelled.
                for await _ in end {}
            } onCancel: {
                LibraryPeer.say("cancelled")
                ends.finish()
            }
        }
    }

    private let providers: [ItemProvider]

    init(_ words: [PeerWord]) throws {
        var settings = Settings()
        var providers: [ItemProvider] = []
        for word in words {
            if let kind = Kind(rawValue: word.name), word.value == nil {
                providers.append(kind.provider(settings))
            } else {
                try settings.set(word)
            }
        }
        self.providers = providers
    }

    func run(_ board: Pasteboard) async throws {
        let publication = try await board.write(providers)
        LibraryPeer.say("promised")
        LibraryPeer.say("ended \(try await publication.outcome())")
    }

    private enum Kind: String {
        case data
        case file
        case folder
        case object
        case lazy
        case stream
        case memory
        case custom

        func provider(_ settings: Settings) -> ItemProvider {
            let provider = ItemProvider()
            provider.suggestedName = settings.name
            let (visibility, count) = (settings.visibility, settings.count)
            switch self {
            case .data:
                provider.registerDataRepresentation(for: .png, visibility: visibility) {
                    await settings.called()
                    return Shown.pattern(count)
                }
            case .file, .folder:
                let type = self == .file ? UniformType.plainText : .folder
                provider.registerFileRepresentation(for: type, visibility: visibility, openInPlace: true) {
                    await settings.called()
                    return settings.file
                }
            case .object:
                provider.registerObject(Note(settings: settings), visibility: visibility)
            case .lazy:
                provider.registerObject(ofClass: Note.self, visibility: visibility) { completion in
                    completion(Note(settings: settings), nil)
                    return nil
                }
            case .stream:
                provider.registerByteStream(for: .gif, visibility: visibility) { writer in
                    await settings.called()
                    let bytes = Shown.pattern(count)
                    let end = settings.half ? count / 2 : count
                    do throws(PasteboardError) {
                        for start in stride(from: 0, to: end, by: 30_000) {
                            try await writer.write(bytes[start..<min(start + 30_000, end)])
                        }
                    } catch {
                        if !settings.waits { LibraryPeer.say("cancelled") }
                        throw error
                    }
                    if settings.half { await settings.waitForCancel() }
                }
            case .memory:
                provider.registerSharedMemory(for: .jpeg, visibility: visibility) {
                    await settings.called()
                    return try SharedMemory(Shown.pattern(count))
                }
            case .custom:
                let type = UniformType.declare("org.example.place", conformingTo: [.json, .content])
                provider.registerDataRepresentation(for: type, visibility: visibility) {
                    await settings.called()
                    return Data(#"{"name":"Sequoia"}"#.utf8)
                }
                provider.registerDataRepresentation(for: .utf8PlainText, visibility: visibility) {
                    Data("Sequoia".utf8)
                }
            }
            return provider
        }
    }

    /// An object that reports when it is loaded.
    private struct Note: ItemProviderWriting {
        static let writableTypeIdentifiersForItemProvider = ["public.utf8-plain-text"]
        let settings: Settings

        func loadData(
            withTypeIdentifier typeIdentifier: String,
            forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
        ) -> LoadProgress? {
            let progress = LoadProgress(totalUnitCount: 1)
            let work = Task {
                await settings.called()
                completionHandler(Data("a note".utf8), nil)
            }
            progress.cancellationHandler = { work.cancel() }
            return progress
        }
    }
}
