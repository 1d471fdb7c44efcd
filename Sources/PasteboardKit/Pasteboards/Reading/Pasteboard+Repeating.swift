import FoundationEssentials
import PasteboardClient
import PasteboardWire

// Reads of the present contents. A read lists the contents and then loads from them. If a program replaces them in
// between, the read begins again, so that it fails only if that goes on until its timeout.
extension Pasteboard {
    /// The time in which a read without a timeout begins again.
    private static let repeats = Duration.seconds(30)
    /// The longest time between two rounds of a read.
    private static let longestPause = Duration.milliseconds(50)

    /// Lists the contents and reads from them, again if they are replaced before a load of `body` begins.
    package func read<Value>(
        for call: Call,
        _ body: (Contents) async throws(PasteboardError) -> sending Value
    ) async throws(PasteboardError) -> sending Value {
        try await recovering(for: call) { live in try await read(at: live, for: call, body) }
    }

    private func read<Value>(
        at live: BrokerConnection,
        for call: Call,
        _ body: (Contents) async throws(PasteboardError) -> sending Value
    ) async throws -> sending Value {
        var end: LoadDeadline?
        var pause = Duration.milliseconds(1)
        while true {
            let contents = try await contents(at: live, for: call)
            do throws(PasteboardError) {
                return try await body(contents)
            } catch {
                guard error.code == .superseded else { throw error }
                end = end ?? call.deadline ?? LoadDeadline(Self.repeats)
                // If the call has a timeout, the next list fails when it is over.
                guard call.deadline != nil || end?.left != .zero else { throw error }
            }
            // The writers need the broker, too.
            do {
                try await Task.sleep(for: min(pause, end?.left ?? .zero))
            } catch {
                throw call.cancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Loads the bytes of the first item that has one of the types or a type that conforms to one.
    ///
    /// - Parameters:
    ///   - preference: the order that decides between several types of that item. Objects are made from the first type
    ///     of the source, as by an item provider.
    ///   - ifChangeCount: the change count that the pasteboard must have; nil: any.
    ///   - includesGone: whether the load of an item whose source has ended is tried, so that its error names the
    ///     source.
    /// - Returns: nil if there is no such item.
    func firstData(
        for accepted: [UniformType],
        preferring preference: LoadPreference = .source,
        ifChangeCount: ChangeCount? = nil,
        includesGone: Bool = false,
        _ options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil,
        for call: Call
    ) async throws(PasteboardError) -> Loaded<Data>? {
        // Each load ends its own progress.
        var part: LoadProgress?
        func data(of contents: Contents) async throws(PasteboardError) -> Loaded<Data>? {
            part = progress?.makePart()
            let providers = contents.items.map(\.itemProvider)
            var found = providers.first(accepted, preferring: preference, includingGone: false)
            if found == nil, includesGone {
                found = providers.first(accepted, preferring: preference, includingGone: true)
            }
            guard let found else { return nil }
            let (provider, representation) = found
            var options = options
            options.timeout = call.deadline?.left
            return try await provider.data(of: representation, options, progress: part)
        }
        do throws(PasteboardError) {
            let loaded = try await recovering(for: call) { live -> Loaded<Data>? in
                if let ifChangeCount {
                    let contents = try await contents(at: live, for: call)
                    guard contents.changeCount == ifChangeCount else {
                        throw PasteboardError(
                            .superseded,
                            message: "pasteboard \(name.rawValue) is at change count \(contents.changeCount), not "
                                + "\(ifChangeCount); it was changed in the meantime"
                        )
                    }
                    return try await data(of: contents)
                }
                return try await read(at: live, for: call) { (contents) throws(PasteboardError) in
                    try await data(of: contents)
                }
            }
            if loaded == nil { progress?.end(byteCount: nil) } else { progress?.end(part) }
            return loaded
        } catch {
            progress?.end(byteCount: nil)
            throw call.error(ofLoad: error)
        }
    }
}

extension [ItemProvider] {
    /// Returns the first item that has one of the types or a type that conforms to one, and the representation that is
    /// loaded.
    fileprivate func first(
        _ accepted: [UniformType],
        preferring preference: LoadPreference,
        includingGone: Bool
    ) -> (ItemProvider, ProviderContents.Representation)? {
        for provider in self {
            let representations = includingGone ? provider.representations : provider.representations.loadable
            if let found = representations.best(of: accepted, preferring: preference) { return (provider, found) }
        }
        return nil
    }
}
