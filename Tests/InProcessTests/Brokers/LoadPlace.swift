import PasteboardKit
import PasteboardTransport
import Testing

/// From where an item is loaded.
enum LoadPlace: String, CaseIterable, Sendable {
    /// From the provider that it was registered with.
    case here
    /// Through a broker, as another process would.
    case there
    /// The same, but that no descriptor is passed.
    case inline

    static var brokers: [LoadPlace] { [.there, .inline] }

    /// Runs `body` with the provider that a destination at this place has.
    func with<Result>(
        _ provider: ItemProvider,
        limits: [String: String] = [:],
        _ body: (ItemProvider) async throws -> Result
    ) async throws -> Result {
        guard self != .here else { return try await body(provider) }
        let limits = self == .inline ? limits.merging(["passed-descriptors": "0"]) { $1 } : limits
        return try await TestBroker.with(limits: limits) { broker in
            let publication = try await broker.pasteboard().write([provider])
            defer { withExtendedLifetime(publication) {} }
            let item = try #require(try await broker.pasteboard().contents().items.first)
            return try await body(item.itemProvider)
        }
    }
}
