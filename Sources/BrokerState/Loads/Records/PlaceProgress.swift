/// The progress of a load that others wait for, since the start of a period of the limit `progress`.
struct PlaceProgress {
    /// The bytes that have to arrive in each period, unless the load ends.
    static let least: UInt64 = 16 << 10

    let start: UInt64
    let received: UInt64
    /// Whether the source could have sent enough since the start.
    let hadCredit: Bool
}
