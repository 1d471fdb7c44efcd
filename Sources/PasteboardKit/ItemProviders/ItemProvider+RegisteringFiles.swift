public import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

// A file is opened when its handler gives it, and its descriptor is handed to the destination, which reads it: nothing is
// copied. Where no descriptor can be passed the bytes are sent. The handler may remove the file once its completion has
// returned, but must not write or shorten it: a load that finds it shorter fails.
//
// A folder's tree travels as an archive that the system's `tar` makes while it is loaded: it has to stay until then. As a
// file it is the tree again, as data the archive, of type `public.tar-archive`. (NSItemProvider makes a zip archive.)
extension ItemProvider {
    /// Makes a provider for a file or folder, of the type that its name says, named as it is.
    ///
    /// A copy that a destination loads has the same name, without an extension added, the file's permissions as far as the
    /// destination's mask lets it, and the time of its last change, all as they are now; another ``suggestedName`` replaces
    /// the name. A permission that the file has lost before it is loaded is not given to the copy. The contents are those at
    /// the time of the load. A symbolic link stands for the file that it leads to, under its own name.
    ///
    /// nil if there is no such file, or it is neither a file nor a folder that this process may read. As NSItemProvider
    /// does.
    ///
    /// - Parameters:
    ///   - fileURL: where it is.
    ///   - contentType: its type; nil: by its extension, by its contents where the extension does not settle it (see the
    ///     article on the types of files in TypeIdentifiers), and `UniformType.folder` for a folder.
    ///   - openInPlace: whether a destination may open it where it is, for reading.
    ///   - coordinated: has no effect: there is no file coordination here.
    ///   - visibility: who may see that there is such a representation.
    public convenience init?(
        contentsOf fileURL: URL,
        contentType: UniformType? = nil,
        openInPlace: Bool = false,
        coordinated: Bool = false,
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
        state.withLock { [file] in $0.representations[0].file = file }
    }

    /// Promises the item as a file or folder of a type, for what is in one already.
    ///
    /// - Parameters:
    ///   - typeIdentifier: for example `public.mpeg-4`.
    ///   - fileOptions: whether a destination may open the file where it is.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: is asked for the file, and calls its completion once, then or later, with the file's URL or an
    ///     error. The flag, whether access is coordinated, has no effect here. It may return a progress, as that of
    ///     ``registerDataRepresentation(forTypeIdentifier:visibility:policy:firstByteTimeout:loadHandler:)``.
    public func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        fileOptions: ItemProviderFileOptions = [],
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(
            UniformType(importedAs: typeIdentifier),
            visibility,
            fileOptions: fileOptions,
            .init(.file(loadHandler), policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as a file or folder of a type, for what is in one already.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: who may see that there is such a representation.
    ///   - openInPlace: whether a destination may open the file where it is.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: as that of
    ///     ``registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:policy:firstByteTimeout:loadHandler:)``.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        openInPlace: Bool = false,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(
            contentType,
            visibility,
            fileOptions: openInPlace ? .openInPlace : [],
            .init(.file(loadHandler), policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as a file or folder of a type, for what is in one already.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: who may see that there is such a representation.
    ///   - openInPlace: whether a destination may open the file where it is.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: finds or makes the file, in a task that is cancelled when nobody wants it any more. What it throws
    ///     is told to the destination. The file is open once it has returned, and may be removed then.
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
            fileOptions: openInPlace ? .openInPlace : [],
            .init(handler, policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as a file or folder of a type that is made when it is asked for, with progress.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: who may see that there is such a representation.
    ///   - openInPlace: whether a destination may open the file where it is.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take until it is done or reports progress, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: finds or makes the file. The library opens it as soon as the handler returns; then the file may be
    ///     removed. The progress that the handler reports is passed on to the destination and keeps a slow load alive. When
    ///     the load is cancelled, its task and the progress are cancelled. An error that it throws is passed on to the
    ///     destination.
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
            fileOptions: openInPlace ? .openInPlace : [],
            .init(handler, policy, firstByteTimeout: firstByteTimeout)
        )
    }
}
