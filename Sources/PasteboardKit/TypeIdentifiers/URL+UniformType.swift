public import FoundationEssentials
public import TypeIdentifiers

extension URL {
    /// This URL with one more component: `partialName` and an extension for `contentType`, as the system's URL has it.
    ///
    /// The extension is left out if the name has one already that files of the type have: `puppy.jpg` stays as it is for
    /// `UniformType.image` and becomes `puppy.jpg.txt` for `UniformType.plainText`. Without an extension of its own a
    /// type has that of its nearest supertype with one; where none has, nothing is added. A directory's URL ends in `/`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UniformType) -> URL {
        let hint: DirectoryHint = contentType.conforms(to: .directory) ? .isDirectory : .notDirectory
        return appending(path: partialName.appendingPathExtension(for: contentType), directoryHint: hint)
    }

    /// Adds one more component: see ``appendingPathComponent(_:conformingTo:)``.
    public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UniformType) {
        self = appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// This URL with an extension for `contentType`, unless its last component has one already that files of the type have;
    /// see ``appendingPathComponent(_:conformingTo:)``. A URL without a component stays as it is.
    public func appendingPathExtension(for contentType: UniformType) -> URL {
        let name = lastPathComponent
        let complete = name.appendingPathExtension(for: contentType)
        guard complete != name, name != "/" else { return self }
        return deletingLastPathComponent()
            .appending(component: complete, directoryHint: hasDirectoryPath ? .isDirectory : .notDirectory)
    }

    /// Adds an extension: see ``appendingPathExtension(for:)``.
    public mutating func appendPathExtension(for contentType: UniformType) {
        self = appendingPathExtension(for: contentType)
    }
}
