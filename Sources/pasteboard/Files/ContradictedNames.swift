import TypeIdentifiers

/// The files whose contents contradict the extension of their name. The extension decides, and one note reports it.
struct ContradictedNames {
    private var first: (name: String, file: FileType)?
    private var count = 0

    mutating func add(_ name: String, _ file: FileType) {
        guard file.contradiction != nil else { return }
        count += 1
        first = first ?? (name, file)
    }

    func note() {
        guard let (name, file) = first, let contents = file.contradiction else { return }
        let others = count - 1
        // -t sets the type of all files, so it is suggested only for a single one.
        let way =
            others == 0
            ? "-t \(contents) overrides it" : "\(others) more \(others == 1 ? "file is" : "files are") like it"
        StandardStreams.remark(
            "\(name) has the extension of \(file.type) but the contents of \(contents); the "
                + "extension decides; \(way)"
        )
    }
}
