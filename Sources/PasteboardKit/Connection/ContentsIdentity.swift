/// The contents that a load was started on, by a name and numbers that each broker knows.
struct ContentsIdentity: Sendable {
    let board: String
    let changeCount: UInt64
    let epoch: UInt64
}
