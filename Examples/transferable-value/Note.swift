import FoundationEssentials
import PasteboardKit

/// The value that this program works with.
struct Note: Codable, Sendable {
    var title: String
    var text: String
    /// Whether the note is unfinished.
    var isDraft = false
}

extension UniformType {
    /// The program's own type.
    static let note = declare("org.example.note", conformingTo: [.json], tags: [.filenameExtension: ["note"]])
}

extension Note: Transferable {
    static let representations: [Representation<Note>] = [
        // Without loss, for other copies of this program.
        .codable(.note),
        // For browsers, as a file. A page of another program can also be read as a note.
        .file(
            .html,
            exporting: { note in SentFile(url: try note.writePage(), isTemporary: true) },
            importing: { file in try Note(page: String(contentsOf: file, encoding: .utf8)) }
        ),
        // For text editors, but not for drafts. It can only be exported.
        Representation.data(.rtf, exporting: { note in note.richText }).exporting { !$0.isDraft },
        // For all other programs: the title alone.
        .proxy(exporting: { note in note.title }, importing: { title in Note(title: title, text: "") }),
    ]
}
