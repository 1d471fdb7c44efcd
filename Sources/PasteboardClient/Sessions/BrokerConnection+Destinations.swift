import PasteboardTransport
package import PasteboardWire

// The destinations that exist, for sources and for links.
extension BrokerConnection {
    /// The number of destinations that are listed: as many as a broker has by default. One that has more must not fill
    /// the memory.
    private static let longestList = 1_024

    /// A watch of the destinations. Its event `changed` says only that one was registered or has ended.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    func watchDestinations(until deadline: UInt64 = .max) -> BrokerStream {
        var watch = Watch()
        watch.destinations = true
        watch.credit = 1
        watch.requires = [Feature.links.rawValue]
        let request = watch
        return open(until: deadline) { (state) throws(Failure) in try state.open(request) }
    }

    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func destinations(until deadline: UInt64 = .max) async throws(RequestFailure) -> [DestinationStatus] {
        var listed: [DestinationStatus] = []
        var stream = request(until: deadline) { (state) throws(Failure) in try state.open(Status()) }
        return try await stream.answer { event in
            if case .statusEntry(_, let entry) = event, listed.count < Self.longestList {
                if let destination = entry.destination { listed.append(destination) }
            }
            return if case .ended = event { listed } else { nil }
        }
    }

    /// Waits until there is a destination of this name.
    ///
    /// - Parameters:
    ///   - isOwn: whether only a destination of this process counts.
    ///   - milliseconds: the longest time to wait; nil for no limit.
    /// - Throws: `nothing-here` after `milliseconds`, with the names of other destinations.
    package func wait(
        for name: String,
        isOwn: Bool = false,
        milliseconds: UInt64?
    ) async throws(RequestFailure) {
        let end = milliseconds.map { MonotonicClock.deadline(milliseconds: Int(clamping: $0)) } ?? .max
        var changes = watchDestinations(until: end)
        while true {
            let listed = try await destinations()
            if listed.contains(where: { $0.name == name && (!isOwn || $0.process == welcome.process) }) { return }
            do throws(RequestFailure) {
                try await changes.answer(at: .standing) { if case .changed = $0 { () } else { nil } }
            } catch {
                guard error.failure.code == .timeout, MonotonicClock.isOver(end) else { throw error }
                let names = listed.map(\.name).sorted().joined(separator: "\n")
                let failure = Failure(
                    .nothingHere,
                    "no destination \(name.printable) was registered within \(milliseconds ?? 0) ms",
                    detail: names.isEmpty ? nil : names
                )
                throw RequestFailure(failure, .other, at: .request)
            }
            changes.tell { $0.grantChange($1) }
        }
    }
}
