// Reading and writing a single object.
extension Pasteboard {
    /// Replaces the contents with one object. The object is asked for its bytes when a program loads them.
    ///
    /// - Parameters:
    ///   - object: the object. Other processes must be able to see at least one of its types.
    ///   - timeout: the maximum duration of the write, which includes connecting.
    /// - Throws: as ``write(_:timeout:)-([ItemProvider],_)``.
    @discardableResult
    public func write(
        _ object: any ItemProviderWriting,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        try await write([ItemProvider(object: object)], timeout: timeout)
    }

    /// Loads an object from the first item that has a type the class reads.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object. It reads the bytes on a thread of the library.
    ///   - timeout: the maximum duration of the load, which includes connecting. Without it, the load fails if the
    ///     source neither sends bytes nor reports progress for 30 s.
    /// - Returns: the object; nil if no item has a type that the class reads.
    /// - Throws: as ``ItemProvider/loadObject(ofClass:timeout:progress:)``.
    public func load<T: ItemProviderReading>(_ aClass: T.Type, timeout: Duration? = nil) async throws -> sending T? {
        let call = Call("the load", timeout: timeout)
        let items = try await contents(for: call).items.map(\.itemProvider)
        guard let provider = items.first(where: { $0.canLoadObject(ofClass: aClass) }) else { return nil }
        do {
            return try await provider.loadObject(ofClass: aClass, timeout: call.deadline?.left)
        } catch let error as PasteboardError where error.code == .timeout {
            // The load's own error would name the remaining time, which is not the timeout that the caller passed.
            throw call.timedOut
        }
    }
}
