import PasteboardTransport

// What a load does with the progress that belongs to it.
extension LoadProgress {
    /// How a parent is counted for a destination: beyond what finished children have left, there is only a fraction.
    private static let parts: Int64 = 10_000

    /// Sets what cancels the load. A progress that is cancelled already calls it at once.
    func begin(cancel: @escaping @Sendable () -> Void) {
        let before = exchange { state in
            state.phase = .loading
            if !state.isCancelled { state.cancelAction = cancel }
        }
        if before.isCancelled { cancel() }
    }

    /// What the source says. It can be late.
    func report(completed: Int64, total: Int64?) {
        change { state in
            guard state.phase == .loading else { return }
            state.completedUnitCount = completed
            state.totalUnitCount = total ?? -1
        }
    }

    /// What a destination is told of a handler's progress.
    var reported: (completed: Int64, total: Int64) {
        let now = now
        guard now.hasHadChildren, now.totalUnitCount >= 0 else { return (now.completedUnitCount, now.totalUnitCount) }
        return (Int64(now.fractionCompleted * Double(Self.parts)), Self.parts)
    }

    /// A progress for the first part of the load: this is told what that is told, all but its end.
    func makePart() -> LoadProgress {
        let part = LoadProgress(of: call)
        begin { part.cancel() }
        part.observe { [weak self, weak part] in
            guard let self, let part else { return }
            let now = part.now
            if !now.isOver { report(completed: now.completedUnitCount, total: now.totalUnitCount) }
        }
        return part
    }

    /// The load is over, well, and so is its first part.
    func end(_ part: LoadProgress?) {
        end(byteCount: Int(clamping: part?.completedUnitCount ?? 0))
    }

    /// The load is over; only the first end counts. A complete one leaves a complete progress, whatever was reported before.
    ///
    /// - Parameter byteCount: what came; nil if the load failed.
    func end(byteCount: Int?) {
        change { state in
            guard state.phase == .free || state.phase == .loading else { return }
            state.phase = byteCount == nil ? .failed : .succeeded
            state.cancelAction = nil
            state.cancellationHandler = nil
            guard let byteCount else { return }
            if state.totalUnitCount < 0 { state.totalUnitCount = max(Int64(byteCount), state.completedUnitCount) }
            state.completedUnitCount = state.totalUnitCount
        }
    }
}
