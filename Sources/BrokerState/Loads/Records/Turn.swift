import PasteboardWire

/// A period of the limit `progress` in which a load that others wait for has to make progress, or to end. Without that,
/// one process could hold every place of a source with a few bytes now and then.
struct Turn: BitwiseCopyable {
    /// The bytes that have to arrive.
    static let least: UInt64 = 16 << 10

    let start: UInt64
    let received: UInt64
    /// Whether the source could have sent enough since the start.
    let hadCredit: Bool
}

extension ActiveLoad {
    func turn(from start: UInt64) -> Turn {
        Turn(start: start, received: window.received, hadCredit: allowsProgress(from: window.received))
    }

    func hasProgressed(since turn: Turn) -> Bool { window.received >= turn.received.addingClamped(Turn.least) }

    /// Whether the destination allows the least progress after an offset, or all of the rest.
    private func allowsProgress(from received: UInt64) -> Bool {
        window.credit >= received.addingClamped(Turn.least) || declaredByteCount.map { window.credit >= $0 } ?? false
    }

    /// The side to blame for too little progress; nil if neither is yet.
    func slowness(since turn: Turn) -> LoadFailure? {
        guard !window.isUsedUp, allowsProgress(from: turn.received) else { return .destinationStalled }
        let isWorking = activeAt > byteAt
        return turn.hadCredit && !isWorking ? .sourceSlow(received: window.received) : nil
    }
}
