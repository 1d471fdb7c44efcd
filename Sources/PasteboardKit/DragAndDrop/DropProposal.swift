/// A destination's proposal for a drop at the session's current location.
public struct DropProposal: Sendable, Hashable, CustomStringConvertible {
    /// The operation of the drop.
    public let operation: DropOperation
    /// Whether the drop inserts at exactly this location, as text is inserted between two letters.
    public var isPrecise = false
    /// Whether the items should be shown in full size. It is honoured only within one process.
    public var prefersFullSizePreview = false
    /// The reason why the drop would do nothing. It is nil if the drop would do something, or if the destination itself
    /// proposed to do nothing. A source reads it from the proposal that ``Drag/move(to:timeout:)`` returns.
    ///
    /// | code | reason |
    /// | --- | --- |
    /// | `type-unavailable` | the destination takes none of the items |
    /// | `not-permitted` | the destination proposed a move, which the session does not allow |
    /// | `timeout` | the destination did not answer in time |
    /// | `destination-gone` | the destination has ended |
    public internal(set) var refusal: PasteboardError?

    /// The operation, and the reason if the drop would do nothing.
    public var description: String { "\(operation)\(refusal.map { ": \($0)" } ?? "")" }

    /// Makes a proposal.
    ///
    /// - Parameter operation: the operation of the drop. A move that the session does not allow has the effect of
    ///   ``DropOperation/cancel``.
    public init(operation: DropOperation) {
        self.operation = operation
    }
}
