import PasteboardCompatibility
import PasteboardKit

/// The tasks of the program.
enum Role {
    /// Offers two notes until the pasteboard is written again.
    case give
    /// Makes notes from the contents of the pasteboard, by the best representation available.
    case take
    /// Shows the bytes that a program receives for one type.
    case show(UniformType)

    init?(_ arguments: [String]) {
        switch arguments.first {
        case "give" where arguments.count == 1: self = .give
        case "take" where arguments.count == 1: self = .take
        case "show" where arguments.count == 2: self = .show(UniformType(importedAs: arguments[1]))
        default: return nil
        }
    }

    func run(on pasteboard: Pasteboard) async throws {
        switch self {
        case .give: try await give(on: pasteboard)
        case .take: try await take(from: pasteboard)
        case .show(let type): try await show(type, from: pasteboard)
        }
    }

    private func give(on pasteboard: Pasteboard) async throws {
        let notes = [
            Note(title: "Sierra", text: "Three parks & a week."),
            Note(title: "Coast", text: "To be written.", isDraft: true),
        ]
        let providers = notes.map { note in
            let provider = ItemProvider()
            provider.suggestedName = note.title
            provider.register(note)
            return provider
        }
        defer { try? FileManager.default.removeItem(at: Note.pages) }
        let publication = try await pasteboard.write(providers)
        print("gives \(notes.count) notes")
        print(try await publication.outcome())
    }

    private func take(from pasteboard: Pasteboard) async throws {
        for item in try await pasteboard.contents().items.map(\.itemProvider) {
            print("offered as", item.registeredTypeIdentifiers.joined(separator: ", "))
            let note = try await item.loadTransferable(type: Note.self)
            print("took \(note.isDraft ? "the draft" : "the note") \(note.title):", note.text)
        }
    }

    private func show(_ type: UniformType, from pasteboard: Pasteboard) async throws {
        for item in try await pasteboard.contents().items.map(\.itemProvider) {
            guard item.canLoad(type) else {
                print("not to be had as \(type)")
                continue
            }
            let loaded = try await item.loadData(forFirstOf: [type])
            print("\(loaded.type):", String(decoding: loaded.value, as: UTF8.self))
        }
    }
}
