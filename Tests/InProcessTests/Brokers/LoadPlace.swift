import PasteboardKit
import PasteboardTransport
import Testing

/// The way from the source of an item to its destination.
enum LoadPlace: String, CaseIterable, Sendable {
    /// In the source's process, from the provider itself.
    case here
    /// Through a broker, as in another process.
    case there
    /// Through a broker that passes no descriptors.
    case inline

    static var brokers: [LoadPlace] { [.there, .inline] }

    /// Runs `body` with the provider that a destination gets in this way.
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
