/// The builder of a sequence of representations.
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
    /// Takes a representation of the item.
    public static func buildExpression<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }

    /// Begins with a representation.
    public static func buildPartialBlock<First: TransferRepresentation<Item>>(first: First) -> First { first }

    /// Adds a representation.
    public static func buildPartialBlock(
        accumulated: some TransferRepresentation<Item>,
        next: some TransferRepresentation<Item>
    ) -> TupleTransferRepresentation<Item> {
        TupleTransferRepresentation(forms: accumulated.forms + next.forms)
    }
}

/// A sequence of representations, best first.
public struct TupleTransferRepresentation<Item: Transferable>: TransferRepresentation {
    /// The forms of all representations.
    public let forms: [TransferForm<Item>]
}
