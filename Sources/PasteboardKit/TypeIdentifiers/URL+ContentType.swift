public import FoundationEssentials
import PasteboardTransport
public import TypeIdentifiers

extension URL {
    /// The type of what is at this file URL, as the system's content type key of resource values has it: a symbolic link,
    /// a directory (`UniformType.folder`, or the declared type of its extension, such as
    /// `UniformType.applicationBundle`), else by the extension of the name; `UniformType.data` for a file without one.
    ///
    /// The file itself is not opened, so its contents decide nothing here: see ``ItemProvider/init(contentsOf:contentType:openInPlace:coordinated:visibility:)`` for that. nil for a URL of another scheme, and where nothing is or can be looked at.
    public var contentType: UniformType? {
        guard isFileURL else { return nil }
        let path = path(percentEncoded: false)
        // A slash at the end would have a link followed.
        let place = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let status = try? System.status(at: place) else { return nil }
        return switch status.kind {
        case .symbolicLink: .symbolicLink
        case .directory: .forFolder(named: place)
        case .regular: .forFile(named: place)
        case .pipe: UniformType("public.named-pipe")
        case .socket, .device: .item
        }
    }
}

extension UniformType {
    /// Where the type is described. Nothing declares that here, so it is nil; for programs that ask UTType.
    public var referenceURL: URL? { nil }
}
