import PasteboardCompatibility

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
    static var transferRepresentation: some TransferRepresentation {
        // Without loss, for other copies of this program.
        CodableRepresentation(contentType: .note)
        // For browsers, as a file. A page of another program can also be read as a note.
        FileRepresentation(contentType: .html) { note in
            SentTransferredFile(try note.writePage())
        } importing: { received in
            try Note(page: String(contentsOf: received.file, encoding: .utf8))
        }
        // For text editors, but not for drafts. It can only be exported.
        DataRepresentation(exportedContentType: .rtf) { note in note.richText }
            .exportingCondition { note in !note.isDraft }
        // For all other programs: the title alone.
        ProxyRepresentation(exporting: \.title) { title in Note(title: title, text: "") }
    }
}
