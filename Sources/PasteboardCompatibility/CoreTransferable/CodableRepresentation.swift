public import Foundation
public import TypeIdentifiers

/// A representation as JSON.
public struct CodableRepresentation<Item: Transferable & Codable>: TransferRepresentation {
    /// The only form.
    public let forms: [TransferForm<Item>]

    /// Exports and imports items as JSON of a type. The encoder and the decoder must not be changed afterwards.
    public init(
        for itemType: Item.Type = Item.self,
        contentType: UniformType,
        encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) {
        forms =
            DataRepresentation(contentType: contentType) {
                try encoder.encode($0)
            } importing: {
                try decoder.decode(Item.self, from: $0)
            }.forms
    }
}
