import PasteboardTransport

// What a load does with the progress that belongs to it.
extension LoadProgress {
    /// Sets what cancels the load. A progress that is cancelled already calls it at once.
    func begin(cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.cancelAction = cancel }
            return state.isCancelled
        }
        if isLate { cancel() }
    }

    func report(completed: Int64, total: Int64?) {
        change { state in
            state.completedUnitCount = completed
            state.totalUnitCount = total ?? -1
        }
    }

    /// The load is over. A complete one leaves a complete progress, whatever was reported before.
    ///
    /// - Parameter byteCount: what came; nil if the load failed.
    func end(byteCount: Int?) {
        change { state in
            state.hasEnded = true
            state.cancelAction = nil
            guard let byteCount else { return }
            if state.totalUnitCount < 0 { state.totalUnitCount = max(Int64(byteCount), state.completedUnitCount) }
            state.completedUnitCount = state.totalUnitCount
        }
    }
}
