public import TypeIdentifiers

extension String {
    /// This path, a separator, and `partialName` with an extension for `contentType`, as the method of NSString has it.
    ///
    /// The extension is left out if the name has one already that files of the type have: `puppy.jpg` stays as it is for
    /// `UniformType.image` and becomes `puppy.jpg.txt` for `UniformType.plainText`. Without an extension of its own a
    /// type has that of its nearest supertype with one; where none has, nothing is added.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UniformType) -> String {
        let name = partialName.appendingPathExtension(for: contentType)
        if isEmpty { return name }
        return hasSuffix("/") ? self + name : self + "/" + name
    }

    /// This path with an extension for `contentType`, unless it has one already that files of the type have; see
    /// ``appendingPathComponent(_:conformingTo:)``. A path that names no file (empty, or ending in `/`) stays as it is.
    public func appendingPathExtension(for contentType: UniformType) -> String {
        guard let name = split(separator: "/", omittingEmptySubsequences: false).last, !name.isEmpty else {
            return self
        }
        // A leading dot hides a file and starts no extension.
        if let dot = name.dropFirst().lastIndex(of: "."),
            contentType.hasFilenameExtension(String(name[name.index(after: dot)...]))
        {
            return self
        }
        return contentType.filenameExtensionsOfKind.first.map { "\(self).\($0)" } ?? self
    }
}
