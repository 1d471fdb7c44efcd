import PasteboardCompatibility

/// Says what an item is before anything of it is loaded.
struct AttachmentInspector {
    enum Kind: String {
        case image
        case movie
        case document
        case link
        case text
        case unknown
    }

    let itemProvider: NSItemProvider

    var kind: Kind {
        if itemProvider.hasItemConformingToTypeIdentifier(UTType.image.identifier) { return .image }
        if itemProvider.hasItemConformingToTypeIdentifier(UTType.movie.identifier) { return .movie }
        if itemProvider.hasItemConformingToTypeIdentifier(UTType.pdf.identifier) { return .document }
        if itemProvider.canLoadObject(ofClass: URL.self) { return .link }
        if itemProvider.canLoadObject(ofClass: String.self) { return .text }
        return .unknown
    }

    /// The most faithful of the image types.
    var bestImageType: UTType? {
        itemProvider.registeredContentTypes(conformingTo: .image).first
    }

    var canBeEdited: Bool {
        itemProvider.hasRepresentationConforming(
            toTypeIdentifier: UTType.data.identifier,
            fileOptions: .openInPlace
        )
    }

    var summary: String {
        let types = itemProvider.registeredTypeIdentifiers.compactMap { UTType($0) }
        let names = types.map { $0.preferredFilenameExtension ?? $0.identifier }
        let inPlace = itemProvider.registeredContentTypesForOpenInPlace.map(\.identifier)
        return """
            \(itemProvider.suggestedName ?? "untitled"): \(kind.rawValue)
            types: \(names.joined(separator: ", "))
            in place: \(inPlace.isEmpty ? "none" : inPlace.joined(separator: ", "))
            """
    }
}

extension AttachmentInspector {
    /// An item with a representation of each kind, as a photo editor would offer it.
    static func samplePhoto(at url: URL) -> NSItemProvider {
        let itemProvider = NSItemProvider()
        itemProvider.suggestedName = "Half Dome"
        itemProvider.registerFileRepresentation(
            forTypeIdentifier: UTType.tiff.identifier,
            fileOptions: [.openInPlace],
            visibility: .all,
            loadHandler: { completion in
                completion(url, true, nil)
                return nil
            }
        )
        itemProvider.registerDataRepresentation(
            forTypeIdentifier: UTType.jpeg.identifier,
            visibility: .all,
            loadHandler: { completion in
                completion(Data([0xFF, 0xD8, 0xFF]), nil)
                return nil
            }
        )
        itemProvider.registerObject("Half Dome" as NSString, visibility: .all)
        return itemProvider
    }
}
