extension UniformType {
    /// The extension for a file of this type: its own, else of the nearest type that it is a kind of. UTF-8 text is a `txt`.
    package var filenameExtensionOfKind: String? {
        preferredFilenameExtension
            ?? supertypeIdentifiers.lazy.compactMap { UniformType(known: $0).preferredFilenameExtension }.first
    }

    /// Whether a name with this extension needs no other to be one of this type: `jpg` for any image, `txt` for UTF-8 text.
    package func hasFilenameExtension(_ tag: String) -> Bool {
        let own = tags[.filenameExtension] ?? filenameExtensionOfKind.map { [$0] } ?? []
        return own.contains { Conformance.equal($0, tag) }
            || Self.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil).contains { $0.conforms(to: self) }
    }
}
