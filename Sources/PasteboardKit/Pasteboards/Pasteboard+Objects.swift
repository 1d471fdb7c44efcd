// One object, for programs that need no more.
extension Pasteboard {
    /// Replaces the contents by one object, which is asked for its bytes when somebody loads them.
    ///
    /// - Throws: as ``write(_:)-([ItemProvider])``.
    @discardableResult
    public func write(_ object: any ItemProviderWriting) async throws(PasteboardError) -> Publication {
        try await write([ItemProvider(object: object)])
    }

    /// Loads an object from the first item that it can be made of.
    ///
    /// - Parameters:
    ///   - aClass: what is to be made of the bytes, on a thread of the library.
    ///   - timeout: when the bytes have to be there. Without it, a source that neither gives bytes nor reports progress for
    ///     30 s is given up.
    /// - Returns: nil if no item has a type that the class reads.
    /// - Throws: as ``ItemProvider/loadObject(ofClass:timeout:progress:)``.
    public func load<T: ItemProviderReading>(_ aClass: T.Type, timeout: Duration? = nil) async throws -> sending T? {
        guard let item = try await contents().items.first(where: { $0.itemProvider.canLoadObject(ofClass: aClass) })
        else { return nil }
        return try await item.itemProvider.loadObject(ofClass: aClass, timeout: timeout)
    }
}
