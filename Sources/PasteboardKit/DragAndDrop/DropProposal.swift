/// What a destination would do with a session, were it dropped where it is.
public struct DropProposal: Sendable, Hashable {
    /// What the drop would do.
    public let operation: DropOperation
    /// Whether the drop inserts at exactly this location, as text is inserted between two letters.
    public var isPrecise = false
    /// Whether the items would like to be shown in full size; honoured within one process.
    public var prefersFullSizePreview = false
    /// The reason why the drop would do nothing; nil if the destination itself proposed to do nothing. A source reads it
    /// from the proposal that ``Drag/move(to:timeout:)`` returns.
    ///
    /// | code | reason |
    /// | --- | --- |
    /// | `type-unavailable` | the destination takes none of the items |
    /// | `not-permitted` | the destination proposed a move, which the session does not allow |
    /// | `timeout` | the destination did not answer in time |
    /// | `destination-gone` | the destination has ended |
    public internal(set) var refusal: PasteboardError?

    /// Makes a proposal.
    ///
    /// - Parameter operation: what the drop would do. A move that the session does not allow is as good as
    ///   ``DropOperation/cancel``.
    public init(operation: DropOperation) {
        self.operation = operation
    }
}
