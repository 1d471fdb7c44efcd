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
        // A type that is given is that of all files.
        let way =
            others == 0
            ? "-t \(contents) changes that" : "\(others) more \(others == 1 ? "file is" : "files are") like it"
        StandardStreams.note(
            "pasteboard: \(command): \(name) is named as \(file.type) and has the contents of \(contents): the name is "
                + "believed; \(way)"
        )
    }
}
