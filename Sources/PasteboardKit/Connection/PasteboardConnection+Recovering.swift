import PasteboardClient
import PasteboardWire

extension PasteboardConnection {
    /// Makes a request, and makes it again as the recovery table decides: over the next connection, if a broker listens
    /// already.
    ///
    /// - Parameter reached: the progress of the request when it failed.
    func recovering<Value>(
        _ verb: Recovery.Verb = .read,
        for call: Call,
        reached: () -> Recovery.Reached = { .request },
        _ request: (BrokerConnection) async throws(PasteboardError) -> sending Value
    ) async throws(PasteboardError) -> sending Value {
        var recovery = Recovery(verb)
        var live = try await liveConnection(for: call)
        while true {
            let lost: PasteboardError
            do throws(PasteboardError) {
                return try await request(live)
            } catch {
                lost = error
            }
            let isLate = lost.code == .timeout && call.deadline?.left == .zero
            let (loss, reached) = (isLate ? .silent : live.loss(of: lost), reached())
            guard case .connect = recovery.next(after: loss, at: reached) else {
                let remark = recovery.remark(after: loss, at: reached)
                throw PasteboardError(lost.code, message: lost.message + remark, sourceError: lost.sourceError)
            }
            do throws(PasteboardError) {
                live = try await liveConnection(after: live, for: call)
            } catch {
                throw error.code == .brokerUnavailable ? lost : error
            }
        }
    }
}
