public import FoundationEssentials
import PasteboardTransport
public import TypeIdentifiers

extension UniformType {
    /// The type of what is at a file URL, as the system's content type key of URLs has it: a symbolic link, a directory
    /// (``folder``, or the declared type of its extension, such as ``applicationBundle``), else by the extension of the
    /// name; ``data`` for a file without one.
    ///
    /// The file itself is not opened. nil for a URL of another scheme, and where nothing is or can be looked at.
    public init?(contentsOf url: URL) {
        guard url.isFileURL else { return nil }
        let path = url.path(percentEncoded: false)
        // A slash at the end would have a link followed.
        let place = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let status = try? System.status(at: place) else { return nil }
        switch status.kind {
        case .symbolicLink: self = .symbolicLink
        case .directory: self = .forFolder(named: place)
        case .regular: self = .forFile(named: place)
        case .pipe: self = UniformType(importedAs: "public.named-pipe")
        case .socket, .device: self = .item
        }
    }
}
