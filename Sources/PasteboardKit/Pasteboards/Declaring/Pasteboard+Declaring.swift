public import FoundationEssentials
import PasteboardTransport

/// A program's object that provides the data of declared types, like `NSPasteboardTypeOwner`.
public protocol PasteboardTypeOwner: AnyObject, Sendable {
    /// Provides the data of a type: the method sets it with ``Pasteboard/setData(_:forType:)`` or
    /// ``Pasteboard/setString(_:forType:)`` of `sender` before it returns. It is called when a program loads the type
    /// for the first time; the broker then keeps the data.
    ///
    /// - Throws: an error, which reaches the destination as the source's own.
    func pasteboard(_ sender: Pasteboard, provideDataForType type: UniformType) async throws
    /// Called once when the pasteboard no longer has the declared types, because another program has written to it or
    /// cleared it, or because the connection was lost. Does nothing by default.
    func pasteboardChangedOwner(_ sender: Pasteboard) async
}

extension PasteboardTypeOwner {
    /// Does nothing.
    public func pasteboardChangedOwner(_ sender: Pasteboard) async {}
}

// Writes in the shape of NSPasteboard: first the pasteboard is cleared or types are declared, and then their data is
// set. Each step depends on those before, on the same connection. `write(_:keeps:options:timeout:)` does all at once.
extension Pasteboard {
    /// Clears the pasteboard, to write to it with ``setData(_:forType:)``, ``setString(_:forType:)`` or
    /// ``writeObjects(_:)``.
    ///
    /// - Returns: the new change count.
    /// - Throws: as ``clear(ifChangeCount:timeout:)``.
    @discardableResult
    public func clearContents() async throws(PasteboardError) -> ChangeCount {
        try await step { contents throws(PasteboardError) in
            let changeCount = try await clear()
            contents.begin(cleared: changeCount)
            return changeCount
        }
    }

    /// Replaces the contents with one item that has these types.
    ///
    /// The data of a type is set later with ``setData(_:forType:)``, or by the owner when a program loads the type. The
    /// declared types end with this process; data that was loaded once is kept.
    ///
    /// - Parameters:
    ///   - types: the types, best first, at least one.
    ///   - owner: provides the data of types that were not set. It is referenced while the pasteboard has the types.
    /// - Returns: the new change count.
    /// - Throws: as for a write.
    @discardableResult
    public func declareTypes(
        _ types: [UniformType],
        owner: (any PasteboardTypeOwner)?
    ) async throws(PasteboardError) -> ChangeCount {
        try await step { contents throws(PasteboardError) in
            try await declare(types, contents, owner, WriteOptions())
        }
    }

    /// Adds types to the first item that this program has written with ``declareTypes(_:owner:)`` or another step, or
    /// declares them after ``clearContents()``. Types that the item has already are left out.
    ///
    /// - Returns: the change count, which stays if the item exists.
    /// - Throws: `superseded` if the pasteboard has no contents of this program, and was not cleared by it.
    @discardableResult
    public func addTypes(
        _ types: [UniformType],
        owner: (any PasteboardTypeOwner)?
    ) async throws(PasteboardError) -> ChangeCount {
        try await step { contents throws(PasteboardError) in
            guard let publication = contents.publication(of: self), let values = contents.values else {
                guard let cleared = contents.cleared else { throw notOwned }
                return try await declare(types, contents, owner, WriteOptions(ifChangeCount: cleared))
            }
            let present = publication.request.items.first?.representations.map(\.type) ?? []
            let new = types.filter { !present.contains($0) }
            guard !new.isEmpty else { return publication.changeCount }
            try await publication.add(provider(of: new, values, owner), toItemAt: 0)
            values.declare(new)
            if let owner, contents.addsOwner(owner) { notify(owner, of: publication) }
            return publication.changeCount
        }
    }

    /// Sets the data of a type of the first item. The type is added if the item does not have it.
    ///
    /// In ``PasteboardTypeOwner/pasteboard(_:provideDataForType:)`` it sets the data that was asked for. Data that is
    /// set a second time after ``clearContents()`` replaces the contents, which increases the change count.
    ///
    /// - Returns: true.
    /// - Throws: `superseded` if the pasteboard was neither cleared nor written by this program, or was changed by
    ///   another one since then. `invalid-argument` if the type is declared and was loaded already, or is one of an
    ///   object: then the broker keeps its data.
    @discardableResult
    public func setData(_ data: Data, forType type: UniformType) async throws(PasteboardError) -> Bool {
        if let provided = ProvidedData.current, provided.take(data, for: type, on: self) { return true }
        return try await step { contents throws(PasteboardError) in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: type) { data }
            guard let publication = contents.publication(of: self) else {
                try await writeAfterClearing([provider], contents)
                return true
            }
            let item = publication.request.items.first ?? ProviderContents()
            guard item.representations.contains(where: { $0.type == type }) else {
                try await publication.add(provider, toItemAt: 0, keeps: .everything)
                return true
            }
            if contents.values?.set(data, for: type) ?? false { return true }
            guard contents.isSet, publication.request.items.count == 1 else { throw alreadyKept(type) }
            try await replace(item, with: provider, contents, publication.changeCount)
            return true
        }
    }

    /// Sets the text of a type of the first item, in UTF-8. Use ``setData(_:forType:)`` for a type in another encoding.
    ///
    /// - Returns: true.
    /// - Throws: as ``setData(_:forType:)``.
    @discardableResult
    public func setString(_ string: String, forType type: UniformType) async throws(PasteboardError) -> Bool {
        try await setData(Data(string.utf8), forType: type)
    }

    /// Appends objects as items, after ``clearContents()`` or another step of this program. The first type of each
    /// object is kept, and the others are promises.
    ///
    /// - Returns: false if the pasteboard has no contents of this program and was not cleared by it.
    /// - Throws: as for a write.
    @discardableResult
    public func writeObjects(_ objects: [any ItemProviderWriting]) async throws(PasteboardError) -> Bool {
        try await step { contents throws(PasteboardError) in
            let providers = objects.map { ItemProvider(object: $0) }
            if let publication = contents.publication(of: self) {
                try await publication.add(providers, keeps: .firstTypes)
                contents.hasObjects()
            } else {
                guard contents.cleared != nil else { return false }
                try await writeAfterClearing(providers, contents, keeps: .firstTypes)
                contents.hasObjects()
            }
            return true
        }
    }

    // MARK: Steps

    private func step<Result: Sendable>(
        _ body: (StepwiseContents) async throws(PasteboardError) -> Result
    ) async throws(PasteboardError) -> Result {
        let contents = StepwiseContents.of(self)
        try await contents.order.take(for: Call("the write"))
        defer { contents.order.end() }
        return try await body(contents)
    }

    /// Writes the first items after this program has cleared the pasteboard.
    private func writeAfterClearing(
        _ providers: [ItemProvider],
        _ contents: StepwiseContents,
        keeps: KeptRepresentations = .everything
    ) async throws(PasteboardError) {
        guard let cleared = contents.cleared else { throw notOwned }
        let options = WriteOptions(ifChangeCount: cleared)
        contents.begin(try await write(providers, keeps: keeps, options: options), values: nil)
    }

    /// Writes an item again, whose data is all set, with the data of one type replaced.
    private func replace(
        _ item: ProviderContents,
        with provider: ItemProvider,
        _ contents: StepwiseContents,
        _ changeCount: ChangeCount
    ) async throws(PasteboardError) {
        var item = item
        for new in provider.contents.representations {
            guard let index = item.representations.firstIndex(where: { $0.type == new.type }) else { continue }
            item.representations[index] = new
        }
        let options = WriteOptions(ifChangeCount: changeCount)
        contents.begin(try await write([ItemProvider(item)], keeps: .everything, options: options), values: nil)
    }

    private func declare(
        _ types: [UniformType],
        _ contents: StepwiseContents,
        _ owner: (any PasteboardTypeOwner)?,
        _ options: WriteOptions
    ) async throws(PasteboardError) -> ChangeCount {
        let values = DeclaredValues(types)
        let publication = try await write([provider(of: types, values, owner)], options: options)
        contents.begin(publication, values: values)
        if let owner, contents.addsOwner(owner) { notify(owner, of: publication) }
        return publication.changeCount
    }

    private func alreadyKept(_ type: UniformType) -> PasteboardError {
        PasteboardError(
            .invalidArgument,
            message: "the broker keeps the data of \(type.identifier) on pasteboard \(name.rawValue) already; call "
                + "clearContents() or declareTypes(_:owner:) first"
        )
    }

    private var notOwned: PasteboardError {
        PasteboardError(
            .superseded,
            message: "pasteboard \(name.rawValue) has no contents of this program to which data could be added; "
                + "call clearContents() or declareTypes(_:owner:) first"
        )
    }

    /// A provider of declared types, whose handlers return the data that was set, or ask the owner.
    private func provider(
        of types: [UniformType],
        _ values: DeclaredValues,
        _ owner: (any PasteboardTypeOwner)?
    ) -> ItemProvider {
        let provider = ItemProvider()
        for type in types {
            // The pasteboard without the existence of a unique one, which the publication already keeps.
            provider.registerDataRepresentation(for: type, policy: .onceAndKept) { [name, weak connection] in
                if let value = values.take(type) { return value }
                do {
                    guard let owner, let connection else { throw Self.notSet(type) }
                    let sender = Pasteboard(name: name, connection: connection)
                    let provided = ProvidedData(type, of: sender)
                    defer { provided.close() }
                    try await ProvidedData.$current.withValue(provided) {
                        try await owner.pasteboard(sender, provideDataForType: type)
                    }
                    guard let data = provided.data else { throw Self.notSet(type) }
                    return data
                } catch {
                    values.giveBack(type)
                    throw error
                }
            }
        }
        return provider
    }

    private static func notSet(_ type: UniformType) -> PasteboardError {
        PasteboardError(.sourceFailed, message: "the data of the declared type \(type.identifier) was not set")
    }

    private func notify(_ owner: any PasteboardTypeOwner, of publication: Publication) {
        let (request, name) = (publication.request, name)
        Task(executorPreference: ThreadPool.completions) { [weak connection] in
            _ = try? await request.end.value(for: Call("the wait for the publication's end"))
            if let connection { await owner.pasteboardChangedOwner(Pasteboard(name: name, connection: connection)) }
        }
    }
}
