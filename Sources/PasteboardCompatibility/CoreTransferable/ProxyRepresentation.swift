import PasteboardKit

/// A representation by another value, in all representations of that value.
public struct ProxyRepresentation<Item: Transferable, ProxyRepresentation: Transferable>: TransferRepresentation {
    /// The forms of the other value.
    public let forms: [TransferForm<Item>]

    /// Exports items by other values, and imports them if `importing` is given. For a URL, and other values whose
    /// representations have a condition, `exporting` is also called when an item is registered.
    public init(
        exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
        importing: (@Sendable (ProxyRepresentation) async throws -> Item)? = nil
    ) {
        self.init(exporting, importing) { condition in { item in (try? exporting(item)).map(condition) ?? true } }
    }

    /// Exports items by other values, and imports them if `importing` is given. Representations of the other value
    /// that have a condition are not exported, because the value is not known before a load: a URL is not exported as
    /// a file URL.
    @_disfavoredOverload
    public init(
        exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation,
        importing: (@Sendable (ProxyRepresentation) async throws -> Item)? = nil
    ) {
        self.init(exporting, importing) { _ in nil }
    }

    /// Imports items by other values.
    public init(importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item) {
        self.init(nil, importing) { _ in nil }
    }

    private init(
        _ exporting: (@Sendable (Item) async throws -> ProxyRepresentation)?,
        _ importing: (@Sendable (ProxyRepresentation) async throws -> Item)?,
        _ condition: (@escaping @Sendable (ProxyRepresentation) -> Bool) -> (@Sendable (Item) -> Bool)?
    ) {
        forms = ProxyRepresentation.forms.map { proxy in
            var form = TransferForm<Item>(types: proxy.types, visibility: proxy.visibility)
            let condition = proxy.condition.map(condition)
            if let exporting, let export = proxy.export, condition.map({ $0 != nil }) ?? true {
                form.export = { provider, visibility, item in
                    export(provider, visibility) {
                        let value = try await exporting(item())
                        if proxy.condition?(value) ?? true { return value }
                        let text = "this \(ProxyRepresentation.self) is not offered as \(proxy.types)"
                        throw PasteboardError(.typeUnavailable, message: text)
                    }
                }
            }
            if let importing, let load = proxy.load {
                form.load = { try await importing(load($0, $1)) }
            }
            form.condition = condition ?? nil
            return form
        }
    }
}
