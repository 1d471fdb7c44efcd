import PasteboardKit

/// A representation by another value, in all representations of that value.
public struct ProxyRepresentation<Item: Transferable, ProxyRepresentation: Transferable>: TransferRepresentation {
    /// The forms of the other value.
    public let forms: [TransferForm<Item>]

    /// Exports items by other values, and imports them if `importing` is given. For a URL, and other values whose
    /// representations have a condition or suggest a name, `exporting` is also called when an item is registered.
    public init(
        exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
        importing: (@Sendable (ProxyRepresentation) async throws -> Item)? = nil
    ) {
        self.init(exporting, importing) { try? exporting($0) }
    }

    /// Exports items by other values, and imports them if `importing` is given. Representations of the other value
    /// that have a condition are not exported, because the value is not known before a load: a URL is not exported as
    /// a file URL.
    @_disfavoredOverload
    public init(
        exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation,
        importing: (@Sendable (ProxyRepresentation) async throws -> Item)? = nil
    ) {
        self.init(exporting, importing, nil)
    }

    /// Imports items by other values.
    public init(importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item) {
        self.init(nil, importing, nil)
    }

    /// - Parameter known: makes the other value when an item is registered; nil if it is made only at a load.
    private init(
        _ exporting: (@Sendable (Item) async throws -> ProxyRepresentation)?,
        _ importing: (@Sendable (ProxyRepresentation) async throws -> Item)?,
        _ known: (@Sendable (Item) -> ProxyRepresentation?)?
    ) {
        forms = ProxyRepresentation.forms.map { proxy in
            var form = TransferForm<Item>(types: proxy.types, visibility: proxy.visibility)
            if let exporting, let export = proxy.export, known != nil || proxy.condition == nil {
                form.export = { provider, visibility, item in
                    export(provider, visibility) { try await exporting(item()) }
                }
            }
            if let importing, let load = proxy.load {
                form.load = { try await importing(load($0, $1)) }
            }
            if let known {
                if let isMet = proxy.condition { form.condition = { known($0).map(isMet) ?? true } }
                if let name = proxy.suggestedFileName { form.suggestedFileName = { known($0).flatMap(name) } }
            }
            return form
        }
    }
}
