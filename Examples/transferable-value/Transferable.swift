import PasteboardKit

/// A value that can be given to other programs, and made of what they give.
///
/// The order of its representations is preference, both ways: what a program gives is listed in this order, and what it
/// takes is the first of these that is there.
protocol Transferable: Sendable {
    static var representations: [Representation<Self>] { get }
}

extension ItemProvider {
    /// Promises a value in each of its representations that applies to it.
    func register<Value: Transferable>(_ value: Value) {
        for representation in Value.representations where representation.condition(value) {
            representation.export?(value, self)
        }
    }

    /// Makes a value of the first of its representations that the item has and that can be read.
    func load<Value: Transferable>(_ type: Value.Type) async throws -> Value {
        for representation in Value.representations where representation.canImport(from: self) {
            if let load = representation.load { return try await load(self) }
        }
        let offered = registeredTypeIdentifiers.joined(separator: ", ")
        throw PasteboardError(.typeUnavailable, message: "no \(type) can be made of an item that has \(offered)")
    }
}
