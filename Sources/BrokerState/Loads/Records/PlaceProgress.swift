import PasteboardWire

/// The progress of a load that others wait for, since the start of a period of the limit `progress`.
struct PlaceProgress {
    /// The bytes that have to arrive in each period, unless the load ends.
    static let least: UInt64 = 16 << 10

    let start: UInt64
    let received: UInt64
    /// Whether the source could have sent enough since the start.
    let hadCredit: Bool
}

extension ActiveLoad {
    func progress(at now: UInt64) -> PlaceProgress {
        PlaceProgress(start: now, received: window.received, hadCredit: allowsProgress(from: window.received))
    }

    /// Whether the destination allows the least progress after an offset, or all of the rest.
    private func allowsProgress(from received: UInt64) -> Bool {
        window.credit >= received.addingClamped(PlaceProgress.least)
            || declaredByteCount.map { window.credit >= $0 } ?? false
    }

    /// The reason why a load has made too little progress in a period; nil if neither side is to blame yet.
    func slowness(since last: PlaceProgress) -> LoadFailure? {
        // Before the first byte the source's own deadline applies.
        guard phase.isFlowing || window.isUsedUp else { return nil }
        guard !window.isUsedUp, allowsProgress(from: last.received) else {
            return isWaitingForRoom ? .noRoom : .destinationStalled(isOthersSource: true)
        }
        let isWorking = activeAt > byteAt
        return last.hadCredit && !isWorking ? .sourceSlow(received: window.received) : nil
    }
}
