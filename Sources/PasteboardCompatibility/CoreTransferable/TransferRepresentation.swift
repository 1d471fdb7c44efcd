public import PasteboardKit

/// A way to export items, to import them, or both.
public protocol TransferRepresentation<Item>: Sendable {
    /// The type of the values that are transferred.
    associatedtype Item: Transferable
    /// The type of the body, which the compiler infers.
    associatedtype Body: TransferRepresentation

    /// The representations that this one consists of. Those of the library return themselves.
    @TransferRepresentationBuilder<Item> var body: Body { get }
    /// The forms that this representation consists of, best first; by default those of the body.
    var forms: [TransferForm<Item>] { get }
}

extension TransferRepresentation where Body == Self {
    /// The representation itself.
    public var body: Self { self }
}

extension TransferRepresentation {
    /// The forms of the body.
    public var forms: [TransferForm<Item>] { body.forms as? [TransferForm<Item>] ?? [] }

    /// Exports only items that meet a condition, which is evaluated when an item is registered.
    public func exportingCondition(
        _ condition: @escaping @Sendable (Item) -> Bool
    ) -> some TransferRepresentation<Item> {
        changed { form in
            let inner = form.condition
            form.condition = { condition($0) && inner?($0) ?? true }
        }
    }

    /// Restricts the processes that see exported items.
    public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item> {
        changed { $0.visibility = visibility }
    }

    /// Suggests a name, with its extension, for a file of any item. If several exported
    /// representations suggest a name, the last one is used.
    public func suggestedFileName(_ fileName: String) -> some TransferRepresentation<Item> {
        suggestedFileName { _ in fileName }
    }

    /// Suggests a name, with its extension, for a file of an item. If several exported
    /// representations suggest a name, the last one is used.
    public func suggestedFileName(
        _ fileName: @escaping @Sendable (Item) -> String?
    ) -> some TransferRepresentation<Item> {
        changed { $0.suggestedFileName = fileName }
    }

    private func changed(_ change: (inout TransferForm<Item>) -> Void) -> TupleTransferRepresentation<Item> {
        var forms = forms
        for index in forms.indices { change(&forms[index]) }
        return TupleTransferRepresentation(forms: forms)
    }
}

/// The processes that see a representation.
public typealias TransferRepresentationVisibility = ItemProviderRepresentationVisibility
