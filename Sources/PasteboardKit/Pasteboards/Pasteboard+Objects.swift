// One object, for programs that need no more.
extension Pasteboard {
    /// Replaces the contents by one object, which is asked for its bytes when somebody loads them.
    ///
    /// - Parameters:
    ///   - object: the object, of which at least one type is for others to see.
    ///   - timeout: when the write has to be over, connecting included.
    /// - Throws: as ``write(_:timeout:)-([ItemProvider],_)``.
    @discardableResult
    public func write(
        _ object: any ItemProviderWriting,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        try await write([ItemProvider(object: object)], timeout: timeout)
    }

    /// Loads an object from the first item that it can be made of.
    ///
    /// - Parameters:
    ///   - aClass: what is to be made of the bytes, on a thread of the library.
    ///   - timeout: when the bytes have to be there, connecting included. Without it, a source that neither gives bytes nor
    ///     reports progress for 30 s is given up.
    /// - Returns: nil if no item has a type that the class reads.
    /// - Throws: as ``ItemProvider/loadObject(ofClass:timeout:progress:)``.
    public func load<T: ItemProviderReading>(_ aClass: T.Type, timeout: Duration? = nil) async throws -> sending T? {
        let call = Call("the load", timeout: timeout)
        let items = try await contents(for: call).items.map(\.itemProvider)
        guard let provider = items.first(where: { $0.canLoadObject(ofClass: aClass) }) else { return nil }
        do {
            return try await provider.loadObject(ofClass: aClass, timeout: call.deadline?.left)
        } catch let error as PasteboardError where error.code == .timeout {
            // It names the time that was left for it, which the caller does not know.
            throw call.timedOut
        }
    }
}
