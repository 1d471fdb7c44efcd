package import BrokerState
package import PasteboardWire

/// Contents that outlive a broker, as files hold them.
package struct SavedEntry {
    package let contents: SavedContents
    /// The kept bytes in the order of the representations.
    package let bytes: [[UInt8]]
    /// The position among all that was saved. A later one has a greater number, also after a restart.
    package let number: Int

    package init(contents: SavedContents, bytes: [[UInt8]], number: Int) {
        self.contents = contents
        self.bytes = bytes
        self.number = number
    }
}

// Saving, and the brokers that restore what was saved.
extension StateHarness {
    /// The time since the machine started.
    package var bootTime: UInt64 { now + 1_000_000 }

    package func setSaving(_ isSaving: Bool) { input { $0.setSaving(isSaving ? .working : .none) } }

    /// Saves contents; nil removes them.
    package func save(_ id: PublicationID, as description: (contents: SavedContents, kept: [KeptID])?) {
        savedEarlier.append(saved)
        let number = (saved.values.map(\.number).max() ?? 0) + 1
        saved[id] = description.map { contents, kept in
            SavedEntry(contents: contents, bytes: kept.map { bytes(of: $0) }, number: number)
        }
    }

    /// Saves an entry again, as if the broker had crashed before it removed the entry.
    package func keepSaved(_ id: PublicationID, _ entry: SavedEntry) {
        saved[id] = entry
    }

    /// A broker that has replaced this one after a crash, and has restored the saved contents.
    ///
    /// - Parameters:
    ///   - later: the milliseconds from this broker's last input.
    ///   - failures: receives the errors of contents that cannot be restored.
    package func successor(later: UInt64 = 100, failures: inout [Failure]) -> StateHarness {
        let successor = StateHarness(
            firstChangeCount: firstChangeCount + 4_000,
            epoch: epoch + 1,
            now: now + later,
            reportingTo: report
        )
        successor.setSaving(true)
        // The newest first.
        let entries = saved.values.sorted {
            ($0.contents.changeCount ?? 0, $0.number) > ($1.contents.changeCount ?? 0, $1.number)
        }
        for entry in entries {
            do throws(Failure) {
                // As it is read from its file.
                let bytes = entry.contents.encoded
                let contents = try SavedContents(decoding: bytes)
                let restored = try successor.input { state throws(Failure) in
                    try state.restore(contents, at: successor.bootTime)
                }
                successor.saved[restored.publication] = entry
                for (bytes, kept) in zip(entry.bytes, restored.kept) { successor.hold(bytes, as: kept) }
            } catch {
                failures.append(error)
            }
        }
        return successor
    }

    package func successor() -> StateHarness {
        var failures: [Failure] = []
        defer { check(failures.isEmpty, "contents were not restored: \(failures)") }
        return successor(failures: &failures)
    }
}
