import FoundationEssentials
import PasteboardKit

/// What this program works with.
struct Note: Codable, Sendable {
    var title: String
    var text: String
    /// Whether it is still being written.
    var isDraft = false
}

extension UniformType {
    /// The program's own type.
    static let note = declare("org.example.note", conformingTo: [.json], tags: [.filenameExtension: ["note"]])
}

extension Note: Transferable {
    static let representations: [Representation<Note>] = [
        // With nothing lost, for other copies of this program.
        .codable(.note),
        // For browsers, as a file; a page of another program can be made a note, too.
        .file(
            .html,
            exporting: { note in SentFile(url: try note.writePage(), isTemporary: true) },
            importing: { file in try Note(page: String(contentsOf: file, encoding: .utf8)) }
        ),
        // For text editors, but for no draft; it goes one way.
        Representation.data(.rtf, exporting: { note in note.richText }).exporting { !$0.isDraft },
        // For everybody else: the title alone.
        .proxy(exporting: { note in note.title }, importing: { title in Note(title: title, text: "") }),
    ]
}
