/// A value that is offered to other programs, and made from what they offer, as with CoreTransferable.
///
/// The order of its representations is the order of preference: they are offered in this order, and a value is made by
/// the first of them that the item has.
@preconcurrency
public protocol Transferable: Sendable {
    /// The type of the representations, which the compiler infers.
    associatedtype Representation: TransferRepresentation

    /// The representations of every value, best first.
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

extension Transferable {
    // The builder ensures that the item is this type, but the compiler does not know the item of an opaque type.
    static var forms: [TransferForm<Self>] { transferRepresentation.forms as? [TransferForm<Self>] ?? [] }
}
