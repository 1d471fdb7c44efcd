public import Foundation
public import PasteboardKit
import PasteboardTransport

extension URL {
    /// The type of the file, directory or link at this file URL, like the content type among Apple's resource values.
    ///
    /// It is `UniformType.symbolicLink` for a symbolic link. For a directory it is `UniformType.folder`, or the
    /// declared type of its extension, such as `UniformType.applicationBundle`. For a file it is the type of the
    /// extension, or `UniformType.data` without one. The property is nil for a URL of another scheme, and if nothing
    /// exists at the URL or can be examined.
    ///
    /// The file is not opened, so its contents do not matter. In
    /// ``ItemProvider/init(contentsOf:contentType:openInPlace:visibility:)`` they do.
    public var contentType: UniformType? {
        guard isFileURL else { return nil }
        let path = path(percentEncoded: false)
        // With a slash at the end, a link would be followed.
        let unslashed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let status = try? System.status(at: unslashed) else { return nil }
        return switch status.kind {
        case .symbolicLink: .symbolicLink
        case .directory: .forFolder(named: unslashed)
        case .regular: .forFile(named: unslashed)
        case .pipe: UniformType("public.named-pipe")
        case .socket, .device: .item
        }
    }
}
