import PasteboardClient
import PasteboardWire

extension PasteboardConnection {
    /// Makes a request, and makes it again over the next connection as `Recovery` decides.
    ///
    /// - Parameter request: throws a `RequestFailure` or a `PasteboardError`.
    func recovering<Value>(
        _ verb: Recovery.Verb = .read,
        for call: Call,
        _ request: (BrokerConnection) async throws -> sending Value
    ) async throws(PasteboardError) -> sending Value {
        let brokers = try brokers()
        try call.check()
        do {
            return try await brokers.recovering(Recovery(verb), until: call.end) { live in
                do { return try await request(live) } catch { throw live.error(error, in: call) }
            }
        } catch {
            throw call.error(of: error)
        }
    }
}
