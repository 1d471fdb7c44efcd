public import Foundation
public import PasteboardKit

/// A program's object that provides the data of declared types.
@preconcurrency public protocol NSPasteboardTypeOwner: AnyObject, Sendable {
    /// Provides the data of a type: the method sets it with ``NSPasteboard/setData(_:forType:)`` or
    /// ``NSPasteboard/setString(_:forType:)`` of `sender` before it returns. It is called when a program loads the type
    /// for the first time; the broker then keeps the data. It is called again if the data was lost with the broker.
    ///
    /// - Throws: an error, which reaches the destination as the source's own.
    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) async throws
    /// Called once when the pasteboard no longer has the declared types, because another program has written to it or
    /// cleared it, or because the connection was lost. Does nothing by default.
    func pasteboardChangedOwner(_ sender: NSPasteboard) async
}

extension NSPasteboardTypeOwner {
    /// Does nothing.
    public func pasteboardChangedOwner(_ sender: NSPasteboard) async {}
}

// Writes in steps: first the pasteboard is cleared or types are declared, and then their data is set.
extension NSPasteboard {
    /// Clears the pasteboard, to write to it with ``setData(_:forType:)``, ``setString(_:forType:)`` or
    /// ``writeObjects(_:)``.
    ///
    /// - Returns: the new change count.
    /// - Throws: as `Pasteboard.clear`.
    @discardableResult
    public func clearContents() async throws(PasteboardError) -> Int {
        try await prepareForNewContents()
    }

    /// Options of new contents.
    public struct ContentsOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Makes options of bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The contents stay on this machine.
        public static let currentHostOnly = ContentsOptions(rawValue: 1)
    }

    /// Clears the pasteboard, as ``clearContents()`` does, and sets options of the contents that are written then.
    ///
    /// - Returns: the new change count.
    /// - Throws: as `Pasteboard.clear`.
    @discardableResult
    public func prepareForNewContents(with options: ContentsOptions = []) async throws(PasteboardError) -> Int {
        try await step { () throws(PasteboardError) in
            let changeCount = try await pasteboard.clear()
            let isLocalOnly = options.contains(.currentHostOnly)
            contents.begin(cleared: .init(ifChangeCount: changeCount, isLocalOnly: isLocalOnly))
            return changeCount.number
        }
    }

    /// Replaces the contents with one item that has these types.
    ///
    /// The data of a type is set later with ``setData(_:forType:)``, or by the owner when a program loads the type. The
    /// declared types end with this process; data that was loaded once is kept.
    ///
    /// - Parameters:
    ///   - types: the types, best first, at least one.
    ///   - owner: an ``NSPasteboardTypeOwner`` that provides the data of types that were not set; another object has no
    ///     effect. It is referenced while the pasteboard has the types.
    /// - Returns: the new change count.
    /// - Throws: as for a write.
    @discardableResult
    public func declareTypes(
        _ types: [PasteboardType],
        owner: Any?
    ) async throws(PasteboardError) -> Int {
        let owner = owner as? any NSPasteboardTypeOwner
        return try await step { () throws(PasteboardError) in
            try await declare(types.map(\.uniformType), owner, .init())
        }
    }

    /// Adds types to the first item that this program has written with ``declareTypes(_:owner:)`` or another step, or
    /// declares them after ``clearContents()``. Types that the item has already are left out.
    ///
    /// - Returns: the change count, which stays if the item exists.
    /// - Throws: `superseded` if the pasteboard has no contents of this program, and was not cleared by it.
    @discardableResult
    public func addTypes(
        _ types: [PasteboardType],
        owner: Any?
    ) async throws(PasteboardError) -> Int {
        let owner = owner as? any NSPasteboardTypeOwner
        return try await step { () throws(PasteboardError) in
            guard let written = contents.written else {
                guard let cleared = contents.cleared else { throw notOwned }
                return try await declare(types.map(\.uniformType), owner, cleared)
            }
            let declared = written.declared ?? DeclaredValues([])
            let new = types.map(\.uniformType).filter { !written.has($0) }
            guard !new.isEmpty else { return written.publication.changeCount.number }
            try await written.publication.add(provider(of: new, declared, owner), toItemAt: 0)
            declared.declare(new)
            contents.change { $0.declared = declared }
            notify(owner, of: written.publication)
            return written.publication.changeCount.number
        }
    }

    /// Sets the data of a type of the first item. The type is added if the item does not have it.
    ///
    /// In ``NSPasteboardTypeOwner/pasteboard(_:provideDataForType:)`` it sets the data that was asked for. Data that is
    /// set a second time after ``clearContents()`` replaces the contents, which increases the change count.
    ///
    /// - Returns: true; false for nil.
    /// - Throws: `superseded` if the pasteboard was neither cleared nor written by this program, or was changed by
    ///   another one since then. `invalid-argument` if the data can no longer be replaced: the declared type was
    ///   loaded, or the item has the type, and there are several items or other types are promised.
    @discardableResult
    public func setData(_ data: Data?, forType type: PasteboardType) async throws(PasteboardError) -> Bool {
        guard let data else { return false }
        let type = type.uniformType
        if let provided = ProvidedData.current, provided.accept(data, for: type, on: pasteboard) { return true }
        return try await step { () throws(PasteboardError) in
            guard let written = contents.written else {
                guard let cleared = contents.cleared else { throw notOwned }
                try await write([(type, data)], cleared)
                return true
            }
            guard written.has(type) else {
                try await written.publication.add(
                    ItemProvider(keeping: [(type, data)]),
                    toItemAt: 0,
                    keeps: .everything
                )
                contents.change { $0.kept.append((type, data)) }
                return true
            }
            if written.declared?.set(data, for: type) ?? false { return true }
            guard written.declared == nil, written.itemCount == 1, !written.isPromised else { throw alreadyKept(type) }
            let values = written.kept.map { $0.type == type ? (type, data) : $0 }
            let changeCount = written.publication.changeCount
            try await write(values, .init(ifChangeCount: changeCount, isLocalOnly: written.isLocalOnly))
            return true
        }
    }

    /// Sets the text of a type of the first item, in UTF-8. Use ``setData(_:forType:)`` for a type in another encoding.
    ///
    /// - Returns: true.
    /// - Throws: as ``setData(_:forType:)``.
    @discardableResult
    public func setString(_ string: String, forType type: PasteboardType) async throws(PasteboardError) -> Bool {
        try await setData(Data(string.utf8), forType: type)
    }

    /// Sets the property list of a type of the first item.
    ///
    /// - Returns: false if the value is no property list.
    /// - Throws: as ``setData(_:forType:)``.
    @discardableResult
    public func setPropertyList(
        _ propertyList: Any,
        forType type: PasteboardType
    ) async throws(PasteboardError) -> Bool {
        try await setData(PropertyList.data(of: propertyList), forType: type)
    }

    /// Appends objects as items, after ``clearContents()`` or another step of this program. The objects write all their
    /// types now, and the broker keeps the data. Items of this call end with the program if one of them has a data
    /// provider or is a file promise.
    ///
    /// - Returns: false if the pasteboard has no contents of this program and was not cleared by it, or if an object
    ///   writes nothing.
    /// - Throws: as for a write.
    @discardableResult
    public func writeObjects(_ objects: [any NSPasteboardWriting]) async throws(PasteboardError) -> Bool {
        try await write(written(objects))
    }

    /// An object as an item that is written.
    package struct WrittenObject: Sendable {
        fileprivate let provider: ItemProvider
        /// The data, unless a part of it is promised.
        fileprivate var values: StepwiseContents.Values = []
        fileprivate var dataProviders: [any NSPasteboardItemDataProvider] = []
        fileprivate var isPromised: Bool { values.isEmpty }
    }

    /// Asks objects for their types and data.
    ///
    /// - Returns: nil if an object writes nothing.
    package func written(_ objects: [any NSPasteboardWriting]) -> [WrittenObject]? {
        var items: [WrittenObject] = []
        for object in objects {
            if let item = object as? NSPasteboardItem, !item.providers.isEmpty {
                items.append(.init(provider: item.itemProvider(for: self), dataProviders: item.providers))
                continue
            }
            if let promise = object as? NSFilePromiseProvider {
                items.append(.init(provider: promise.itemProvider(for: self)))
                continue
            }
            let values: StepwiseContents.Values = object.writableTypes(for: self).compactMap { type in
                PropertyList.data(of: object.pasteboardPropertyList(forType: type)).map { (type.uniformType, $0) }
            }
            guard !values.isEmpty else { return nil }
            items.append(.init(provider: ItemProvider(keeping: values), values: values))
        }
        return items
    }

    package func write(_ items: [WrittenObject]?) async throws(PasteboardError) -> Bool {
        guard let items, !items.isEmpty else { return items != nil }
        let keeps: Pasteboard.KeptRepresentations = items.contains(where: \.isPromised) ? .nothing : .everything
        return try await step { () throws(PasteboardError) in
            let publication: Publication
            if let written = contents.written {
                publication = written.publication
                try await publication.add(items.map(\.provider), keeps: keeps)
                contents.change { $0.itemCount += items.count }
            } else {
                guard let options = contents.cleared else { return false }
                publication = try await pasteboard.write(items.map(\.provider), keeps: keeps, options: options)
                begin(publication, items.first?.values ?? [], itemCount: items.count, options)
                let isPromised = items.first?.isPromised ?? false
                contents.change { $0.isPromised = isPromised }
            }
            // A provider of several items gets one message.
            let providers = Dictionary(items.flatMap(\.dataProviders).map { (ObjectIdentifier($0), $0) }) { $1 }
            for provider in providers.values {
                atEnd(of: publication) { await provider.pasteboardFinishedWithDataProvider($0) }
            }
            return true
        }
    }

    // MARK: Steps

    private func step<Result: Sendable>(
        _ body: () async throws(PasteboardError) -> Result
    ) async throws(PasteboardError) -> Result {
        try await contents.order.acquire(for: Call("the write"))
        defer { contents.order.release() }
        return try await body()
    }

    /// Writes an item whose data the broker keeps.
    private func write(
        _ values: StepwiseContents.Values,
        _ options: Pasteboard.WriteOptions
    ) async throws(PasteboardError) {
        let provider = ItemProvider(keeping: values)
        begin(try await pasteboard.write([provider], keeps: .everything, options: options), values, options)
    }

    private func begin(
        _ publication: Publication,
        _ kept: StepwiseContents.Values,
        itemCount: Int = 1,
        _ options: Pasteboard.WriteOptions
    ) {
        let isLocalOnly = options.isLocalOnly
        contents.begin(.init(publication: publication, kept: kept, itemCount: itemCount, isLocalOnly: isLocalOnly))
    }

    private func declare(
        _ types: [UniformType],
        _ owner: (any NSPasteboardTypeOwner)?,
        _ options: Pasteboard.WriteOptions
    ) async throws(PasteboardError) -> Int {
        let declared = DeclaredValues(types)
        let publication = try await pasteboard.write([provider(of: types, declared, owner)], options: options)
        contents.begin(.init(publication: publication, declared: declared))
        notify(owner, of: publication)
        return publication.changeCount.number
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
        _ declared: DeclaredValues,
        _ owner: (any NSPasteboardTypeOwner)?
    ) -> ItemProvider {
        let provider = ItemProvider()
        for type in types {
            // The handler keeps neither the connection nor the steps, which have the publication.
            provider.registerDataRepresentation(
                for: type,
                policy: .onceAndKept
            ) { [name, weak connection = pasteboard.connection, weak contents] in
                if let value = declared.load(type) { return value }
                do {
                    guard let owner, let connection else { throw Self.notSet(type) }
                    let sender = Pasteboard(name: name, connection: connection)
                    let provided = ProvidedData(type, of: sender)
                    defer { provided.close() }
                    try await ProvidedData.$current.withValue(provided) {
                        try await MainThread.asks(for: sender) { [contents] in
                            try await owner.pasteboard(
                                NSPasteboard(sender, contents ?? StepwiseContents()),
                                provideDataForType: PasteboardType(type.identifier)
                            )
                        }
                    }
                    guard let data = provided.data else { throw Self.notSet(type) }
                    return data
                } catch {
                    declared.giveBack(type)
                    throw error
                }
            }
        }
        return provider
    }

    static func notSet(_ type: UniformType) -> PasteboardError {
        PasteboardError(.sourceFailed, message: "the data of the declared type \(type.identifier) was not set")
    }

    private func notify(_ owner: (any NSPasteboardTypeOwner)?, of publication: Publication) {
        guard let owner, contents.addsOwner(owner) else { return }
        atEnd(of: publication) { await owner.pasteboardChangedOwner($0) }
    }

    private func atEnd(of publication: Publication, _ body: @escaping @Sendable (NSPasteboard) async -> Void) {
        Task { [name, weak connection = pasteboard.connection, end = publication.waitForEnd] in
            await end()
            guard let connection else { return }
            await body(NSPasteboard(Pasteboard(name: name, connection: connection)))
        }
    }
}

extension ItemProvider {
    fileprivate convenience init(keeping values: StepwiseContents.Values) {
        self.init()
        for (type, data) in values { registerDataRepresentation(for: type) { data } }
    }
}

extension ChangeCount {
    /// The number alone, as in Apple's frameworks.
    var number: Int { Int(clamping: value) }
}
