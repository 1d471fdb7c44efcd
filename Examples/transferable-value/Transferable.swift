import PasteboardCompatibility
import PasteboardKit

/// A value that can be exported to other programs and imported from them.
///
/// The order of its representations is the order of preference. Exported representations are listed in this order, and
/// a value is imported by the first of them that is available.
protocol Transferable: Sendable {
    static var representations: [Representation<Self>] { get }
}

extension ItemProvider {
    /// Promises a value in each representation that applies to it.
    func register<Value: Transferable>(_ value: Value) {
        for representation in Value.representations where representation.condition(value) {
            representation.export?(value, self)
        }
    }

    /// Makes a value by the first of its representations that the item has and that can be read.
    func load<Value: Transferable>(_ type: Value.Type) async throws -> Value {
        for representation in Value.representations where representation.canImport(from: self) {
            if let load = representation.load { return try await load(self) }
        }
        let offered = registeredTypeIdentifiers.joined(separator: ", ")
        throw PasteboardError(.typeUnavailable, message: "no \(type) can be made of an item that has \(offered)")
    }
}
