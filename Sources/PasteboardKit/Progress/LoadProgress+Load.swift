import PasteboardTransport

// Updates of a load's progress by the library.
extension LoadProgress {
    /// The total that a destination is sent for a progress with children. Children may count in different units, so
    /// only the fraction is meaningful.
    private static let parts: Int64 = 10_000

    /// Sets the closure that cancels the load. If the progress is already cancelled, the closure is called at once.
    func begin(cancel: @escaping @Sendable () -> Void) {
        let before = exchange { state in
            state.phase = .loading
            if !state.isCancelled { state.cancelAction = cancel }
        }
        if before.isCancelled { cancel() }
    }

    /// Makes the drop that the load belongs to fail, so that a source that moves the item keeps it: the bytes have
    /// arrived but are unusable.
    package func failDrop(_ text: String) {
        call?.fail(text)
    }

    /// Records a report of the source. A report that arrives after the end of the load is ignored.
    func report(completed: Int64, total: Int64?) {
        change { state in
            guard state.phase == .loading else { return }
            state.completedUnitCount = completed
            state.totalUnitCount = total ?? -1
        }
    }

    /// Records a number of bytes, or a report of the source, as ``report(completed:total:)`` does.
    func report(_ report: (completed: UInt64, total: UInt64?)) {
        self.report(completed: Int64(clamping: report.completed), total: report.total.map { Int64(clamping: $0) })
    }

    /// The counts that a destination is sent for a handler's progress.
    var reported: (completed: Int64, total: Int64) {
        let now = now
        guard now.hasHadChildren, now.totalUnitCount >= 0 else { return (now.completedUnitCount, now.totalUnitCount) }
        return (Int64(now.fractionCompleted * Double(Self.parts)), Self.parts)
    }

    /// Makes a progress for the first part of the load. All changes of the part are copied to this progress, except its
    /// end.
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

    /// Ends the load with success, after the success of its first part.
    func end(_ part: LoadProgress?) {
        end(byteCount: Int(clamping: part?.completedUnitCount ?? 0))
    }

    /// Ends the load. Only the first call counts. After a successful end the progress is complete, whatever was
    /// reported before.
    ///
    /// - Parameter byteCount: the number of bytes that arrived; nil if the load failed.
    package func end(byteCount: Int?) {
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
