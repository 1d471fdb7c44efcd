/// A change count of a board, and the lifetime of the broker that has counted it.
struct BoardCount: BitwiseCopyable, Equatable {
    let changeCount: UInt64
    let epoch: UInt64
}
