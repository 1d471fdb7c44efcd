import TypeIdentifiers

/// The files whose contents contradict the extension of their name. The name decides, and one note says so.
struct ContradictedNames {
    private var first: (name: String, file: FileType)?
    private var count = 0

    mutating func add(_ name: String, _ file: FileType) {
        guard file.contradiction != nil else { return }
        self.count += 1
        self.first = self.first ?? (name, file)
    }

    func note(for command: String) {
        guard let (name, file) = self.first, let contents = file.contradiction else { return }
        let others = self.count - 1
        let more = others == 0 ? "" : "; so it is with \(others) more \(others == 1 ? "file" : "files")"
        StandardStreams.note(
            "pasteboard: \(command): \(name) is named as \(file.type) and has the contents of \(contents): the name is "
                + "believed; -t \(contents) changes that\(more)"
        )
    }
}
