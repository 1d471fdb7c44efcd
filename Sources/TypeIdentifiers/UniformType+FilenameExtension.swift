extension UniformType {
    /// The extensions for a file of this type, the preferred one first: its own, else of the nearest type that it is a kind
    /// of. UTF-8 text is a `txt`.
    package var filenameExtensionsOfKind: [String] {
        for type in [self] + supertypeIdentifiers.map(UniformType.init(known:)) {
            if let tags = type.tags[.filenameExtension] ?? type.preferredFilenameExtension.map({ [$0] }) { return tags }
        }
        return []
    }

    /// Whether a name with this extension needs no other to be one of this type: `jpg` for any image, `txt` for UTF-8 text.
    package func hasFilenameExtension(_ tag: String) -> Bool {
        filenameExtensionsOfKind.contains { Conformance.equal($0, tag) }
            || Self.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil).contains { $0.conforms(to: self) }
    }
}
