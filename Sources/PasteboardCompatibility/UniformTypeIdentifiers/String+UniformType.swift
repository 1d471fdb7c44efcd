public import PasteboardKit

extension String {
    /// Returns this path, a separator, and `partialName` with an extension for `contentType`, like the method of
    /// NSString.
    ///
    /// The extension is omitted if the name already has an extension of the type: `puppy.jpg` is unchanged for
    /// `UniformType.image` and becomes `puppy.jpg.txt` for `UniformType.plainText`. A type without an extension uses
    /// that of its nearest supertype with one. If there is none, no extension is added.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UniformType) -> String {
        let name = partialName.appendingPathExtension(for: contentType)
        if isEmpty { return name }
        return hasSuffix("/") ? self + name : self + "/" + name
    }

    /// Returns this path with an extension for `contentType`, unless it already has an extension of the type; see
    /// ``appendingPathComponent(_:conformingTo:)``. A path that names no file (empty, or ending in `/`) is unchanged.
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
