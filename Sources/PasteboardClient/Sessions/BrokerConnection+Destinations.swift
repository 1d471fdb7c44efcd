import PasteboardTransport
package import PasteboardWire

// The destinations that exist, for sources and for links.
extension BrokerConnection {
    /// The number of destinations that are listed: as many as a broker has by default. One that has more must not fill
    /// the memory.
    private static let longestList = 1_024

    /// A watch of the destinations.
    ///
    /// - Parameters:
    ///   - since: the last change that the caller knows; nil for those from now on.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func watchDestinations(since: UInt64? = nil, until deadline: UInt64 = .max) -> BrokerStream {
        var watch = Watch()
        watch.destinations = true
        watch.sinceChangeCount = since
        watch.credit = 1
        watch.requires = [Feature.links.rawValue]
        let request = watch
        return open(until: deadline) { (state) throws(Failure) in try state.open(request) }
    }

    /// - Parameters:
    ///   - name: a destination that is listed in any case.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func destinations(
        with name: String? = nil,
        until deadline: UInt64 = .max
    ) async throws(RequestFailure) -> [DestinationStatus] {
        var listed: [DestinationStatus] = []
        var stream = request(until: deadline) { (state) throws(Failure) in try state.open(Status()) }
        return try await stream.answer { event in
            if case .statusEntry(_, let entry) = event, let destination = entry.destination,
                listed.count < Self.longestList || destination.name == name
            {
                listed.append(destination)
            }
            return if case .ended = event { listed } else { nil }
        }
    }

    /// Waits until there is a destination of this name.
    ///
    /// - Parameters:
    ///   - hidden: the names that the error does not list.
    ///   - milliseconds: the longest time to wait, for the error; nil for no limit.
    ///   - end: the time when that has passed (see `MonotonicClock`).
    /// - Throws: `nothing-here` then, with the names of other destinations.
    package func wait(
        for name: String,
        hiding hidden: Set<String> = [],
        milliseconds: UInt64?,
        until end: UInt64
    ) async throws(RequestFailure) {
        var changes = watchDestinations(until: end)
        while true {
            let listed = try await destinations(with: name)
            if listed.contains(where: { $0.name == name }) { return }
            guard !MonotonicClock.isOver(end) else {
                let names = listed.map(\.name).filter { !hidden.contains($0) }.sorted().prefix(
                    WireLimits.errorDetail / 32
                )
                let failure = Failure(
                    .nothingHere,
                    "no destination \(name.printable) was registered within \(milliseconds ?? 0) ms",
                    detail: names.isEmpty ? nil : names.joined(separator: "\n")
                )
                throw RequestFailure(failure, .other, at: .request)
            }
            do throws(RequestFailure) {
                try await changes.destinationsChanged(at: .uncommitted)
            } catch {
                // One may have been registered at the last moment.
                guard error.failure.code == .timeout, MonotonicClock.isOver(end) else { throw error }
            }
        }
    }
}

extension BrokerStream {
    /// Waits until a destination was registered or has ended, or for a nudge, in a watch of the destinations.
    ///
    /// - Parameter reached: the progress of the request, for its failure.
    package mutating func destinationsChanged(
        at reached: Recovery.Reached = .standing
    ) async throws(RequestFailure) {
        while let event = try await next(at: reached, or: []) {
            guard case .changed = event else { continue }
            return tell { $0.grantChange($1) }
        }
    }
}
