import PasteboardCompatibility

/// Gives photos as files, and takes any image into a folder of its own.
struct PhotoLibrary: Sendable {
    let folder: URL

    enum ImportError: Error {
        case notAnImage
    }

    func itemProvider(forPhotoNamed name: String) -> NSItemProvider {
        let fileURL = folder.appendingPathComponent(name).appendingPathExtension("png")
        let itemProvider = NSItemProvider()
        itemProvider.suggestedName = name
        itemProvider.registerFileRepresentation(
            forTypeIdentifier: UTType.png.identifier,
            fileOptions: [],
            visibility: .all
        ) { completion in
            completion(fileURL, false, nil)
            return nil
        }
        return itemProvider
    }

    /// Moves the temporary file into the library before the handler returns, since it is gone afterwards.
    @discardableResult
    func importPhoto(
        from itemProvider: NSItemProvider,
        completionHandler: @escaping @Sendable (Result<URL, Error>) -> Void
    ) -> Progress? {
        guard itemProvider.hasItemConformingToTypeIdentifier(UTType.image.identifier) else {
            completionHandler(.failure(ImportError.notAnImage))
            return nil
        }
        return itemProvider.loadFileRepresentation(forTypeIdentifier: UTType.image.identifier) { url, error in
            guard let url else {
                completionHandler(.failure(error ?? ImportError.notAnImage))
                return
            }
            do {
                let destination = folder.appendingPathComponent(url.lastPathComponent)
                try? FileManager.default.removeItem(at: destination)
                try FileManager.default.moveItem(at: url, to: destination)
                completionHandler(.success(destination))
            } catch {
                completionHandler(.failure(error))
            }
        }
    }

    /// Loads the bytes instead, for a preview.
    func loadPreview(of itemProvider: NSItemProvider, completionHandler: @escaping @Sendable (Data?, Error?) -> Void) {
        itemProvider.loadDataRepresentation(for: .image) { data, error in
            completionHandler(data?.prefix(8), error)
        }
    }
}
