public import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

// A file is opened when its handler provides it. Its descriptor is passed to the destination, which reads it, so
// nothing is copied. If no descriptor can be passed, the bytes are sent. The handler may remove the file once its
// completion handler has returned, but must not write or shorten it: a load that finds it shorter fails.
//
// A folder's tree is sent as an archive that the system's `tar` makes during the load, so the folder has to exist until
// the load ends. Loaded as a file, it is a tree again; loaded as data, it is the archive, of type `public.tar-archive`.
// (NSItemProvider makes a zip archive.)
extension ItemProvider {
    /// Makes a provider for a file or folder, whose name becomes the ``suggestedName``.
    ///
    /// A copy that a destination loads has the file's name without an added extension, its modification time, and its
    /// permissions as far as the destination's umask allows. All three are read now; a ``suggestedName`` that is set
    /// later replaces the name. The copy does not get permissions that the file has lost before the load. The contents
    /// are those at the time of the load. For a symbolic link, its target is loaded under the link's name.
    ///
    /// Like NSItemProvider, it returns nil if the file does not exist, if it is neither a file nor a folder, or if this
    /// process may not read it.
    ///
    /// - Parameters:
    ///   - fileURL: the URL of the file or folder.
    ///   - contentType: the type. nil: the type of the file's extension, or of its contents if the extension does not
    ///     determine it (see the article on the types of files in TypeIdentifiers); `UniformType.folder` for a folder.
    ///   - openInPlace: whether a destination may open the file in place, for reading.
    ///   - visibility: the processes that may see the representation.
    public convenience init?(
        contentsOf fileURL: URL,
        contentType: UniformType? = nil,
        openInPlace: Bool = false,
        visibility: ItemProviderRepresentationVisibility = .all
    ) {
        guard let made = try? HandlerResult(opening: fileURL) else { return nil }
        self.init()
        let name = fileURL.lastPathComponent
        suggestedName = name
        let type: UniformType
        switch (contentType, made) {
        case (let contentType?, _): type = contentType
        case (nil, .chunks): type = .forFolder(named: name)
        case (nil, .file(let file)): type = file.type(named: name)
        case (nil, .data): type = .forFile(named: name)
        }
        registerFileRepresentation(for: type, visibility: visibility, openInPlace: openInPlace) { fileURL }
        let status = try? System.status(at: fileURL.resolvingSymlinksInPath().path)
        guard var file = status.map(FileAttributes.init(of:)) else { return }
        file.name = Array(name.utf8)
        state.withLock { [file] in $0.representations[0] = $0.representations[0].with(file) }
    }

    /// Promises the item as a file or folder of a type.
    ///
    /// A copy that a destination loads has the permissions of the file that the handler returned, as far as the
    /// destination's umask allows. It does not if the bytes are sent instead of a descriptor, which is so with the
    /// policy ``LoadPolicy/onceAndKept``, and when the limit `passed-descriptors` of the broker is reached.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: the processes that may see the representation.
    ///   - openInPlace: whether a destination may open the file in place.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the handler returns, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: finds or makes the file, in a task that is cancelled when the file is no longer needed. An
    ///     error that it throws is passed on to the destination. The library opens the file as soon as the handler
    ///     returns; then the file may be removed.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        openInPlace: Bool = false,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable () async throws -> URL
    ) {
        let handler = DataHandler.async { try HandlerResult(opening: try await loadHandler()) }
        register(
            contentType,
            visibility,
            opensInPlace: openInPlace,
            .init(handler, policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as a file or folder of a type, from a handler that reports its progress.
    ///
    /// A copy that a destination loads has the permissions of the file that the handler returned, as far as the
    /// destination's umask allows. It does not if the bytes are sent instead of a descriptor, which is so with the
    /// policy ``LoadPolicy/onceAndKept``, and when the limit `passed-descriptors` of the broker is reached.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: the processes that may see the representation.
    ///   - openInPlace: whether a destination may open the file in place.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the handler returns or reports progress, at most 10 minutes; nil:
    ///     30 s.
    ///   - loadHandler: finds or makes the file. The library opens it as soon as the handler returns; then the file may
    ///     be removed. The progress that the handler reports is passed on to the destination and keeps a slow load
    ///     alive. When the load is cancelled, its task and the progress are cancelled. An error that it throws is
    ///     passed on to the destination.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        openInPlace: Bool = false,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable (_ progress: LoadProgress) async throws -> URL
    ) {
        let handler = DataHandler.reporting { try HandlerResult(opening: try await loadHandler($0)) }
        register(
            contentType,
            visibility,
            opensInPlace: openInPlace,
            .init(handler, policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as a file or folder that a handler makes in a new directory. The directory is removed when the
    /// bytes have been read.
    package func registerFile(
        for contentType: UniformType,
        loadHandler: @escaping @Sendable (_ directory: URL) async throws -> URL
    ) {
        let handler = DataHandler.async {
            let directory = try TemporaryDirectory(in: nil)
            let url = try await loadHandler(URL(filePath: directory.path, directoryHint: .isDirectory))
            return try HandlerResult(opening: url, in: directory)
        }
        register(contentType, .all, .init(handler, firstByteTimeout: .seconds(600)))
    }
}
