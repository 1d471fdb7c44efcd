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
        do {
            return try await brokers().recovering(Recovery(verb), until: call.end) { live in
                do throws(PasteboardError) {
                    return try await request(live)
                } catch {
                    let isLate = error.code == .timeout && call.deadline?.left == .zero
                    let loss = isLate ? .silent : live.loss(of: error)
                    guard loss != .other else { throw error }
                    throw RequestFailure(
                        Failure(ErrorCode(rawValue: error.code.rawValue), error.message),
                        loss,
                        at: reached()
                    )
                }
            }
        } catch let error as PasteboardError {
            throw error
        } catch {
            throw call.error(of: error as? Failure ?? Failure(.brokerUnavailable, "\(error)"))
        }
    }
}
