import BrokerModel
import BrokerState
import PasteboardWire
import Testing

extension StateHarness {
    /// A harness that records each broken condition as an issue of the running test.
    convenience init(
        firstChangeCount: UInt64 = 5_000,
        epoch: UInt64 = 77,
        now: UInt64 = 1_000,
        readsLoadsInPlace: Bool = true,
        process: UInt32 = 0,
        programVersion: String = "",
        _ configure: (inout BrokerLimits) -> Void = { _ in }
    ) {
        self.init(
            firstChangeCount: firstChangeCount,
            epoch: epoch,
            now: now,
            readsLoadsInPlace: readsLoadsInPlace,
            process: process,
            programVersion: programVersion,
            reportingTo: { Issue.record("\($0)") },
            configure
        )
    }
}
