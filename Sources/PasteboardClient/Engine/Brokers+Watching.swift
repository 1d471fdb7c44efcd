package import PasteboardWire

/// An event of a watch.
package enum WatchEvent: Sendable {
    /// No later change is missed. Reported again at each broker after a loss, whose board may have changed meanwhile.
    case began(BrokerConnection)
    /// - isPresent: for a watch of all boards, whether these are the contents that the board had when it began.
    case changed(Change, isPresent: Bool)
}

extension Brokers {
    /// Watches a board, or all, over any number of brokers. The broker merges the changes that follow each other while
    /// `body` runs.
    ///
    /// - Parameter body: called for each event, until it returns a value.
    package func watching<Value>(
        _ watch: WatchOperation,
        _ body: (WatchEvent) async throws -> Value?
    ) async throws -> Value {
        var watch = watch
        _ = watch.want()
        return try await standing(Recovery(.standing)) { connection, stands in
            let request = watch.open()
            var stream = connection.open { (state) throws(Failure) in try state.open(request) }
            while true {
                switch watch.handle(try await stream.next(at: .standing)) {
                case .registered:
                    stands()
                    if let value = try await body(.began(connection)) { return value }
                case .changed(let change):
                    let isPresent = change.totalChangeCount.map { $0 <= watch.presentCount } ?? false
                    // A board that was empty already when the watch of all began is no news.
                    if change.handle != nil || !isPresent,
                        let value = try await body(.changed(change, isPresent: isPresent))
                    {
                        return value
                    }
                    if watch.want() { stream.tell { $0.grantChange($1) } }
                case .failed, .none: break
                }
            }
        }
    }
}
