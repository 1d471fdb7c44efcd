public import Foundation
public import PasteboardKit

extension URL {
    /// Returns this URL with one more component: `partialName` with an extension for `contentType`, like the method of
    /// the system's URL.
    ///
    /// The extension is omitted if the name already has an extension of the type: `puppy.jpg` is unchanged for
    /// `UniformType.image` and becomes `puppy.jpg.txt` for `UniformType.plainText`. A type without an extension uses
    /// that of its nearest supertype with one. If there is none, no extension is added. The URL of a directory ends in
    /// `/`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UniformType) -> URL {
        let hint: DirectoryHint = contentType.conforms(to: .directory) ? .isDirectory : .notDirectory
        return appending(path: partialName.appendingPathExtension(for: contentType), directoryHint: hint)
    }

    /// Adds one more component; see ``appendingPathComponent(_:conformingTo:)``.
    public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UniformType) {
        self = appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// Returns this URL with an extension for `contentType`, unless its last component already has an extension of the
    /// type; see ``appendingPathComponent(_:conformingTo:)``. A URL without a component is unchanged.
    public func appendingPathExtension(for contentType: UniformType) -> URL {
        let name = lastPathComponent
        let complete = name.appendingPathExtension(for: contentType)
        guard complete != name, name != "/" else { return self }
        return deletingLastPathComponent()
            .appending(component: complete, directoryHint: hasDirectoryPath ? .isDirectory : .notDirectory)
    }

    /// Adds an extension; see ``appendingPathExtension(for:)``.
    public mutating func appendPathExtension(for contentType: UniformType) {
        self = appendingPathExtension(for: contentType)
    }
}
