import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The beginning of the text on a pasteboard, in one line.
struct TextPreview {
    private static let characterCount = 40
    /// The number of bytes that are loaded. In most texts 40 characters have less.
    private static let byteCount = 512

    let text: String

    /// Loads the text of the first item if the broker keeps it. A look must not reveal a secret, and must neither make
    /// promised contents nor use up a load; then the preview is empty.
    init(of board: String, over connection: BrokerConnection) async throws {
        let listing = try await connection.listing(of: board, settles: false)
        let terms = listing.contents.terms
        guard terms?.isConcealed != true, terms?.maximumLoads == nil, let item = listing.items.first,
            let type = Self.keptText(of: item)
        else {
            text = ""
            return
        }
        var load = Load(listing.contents.handle, accepts: [Accept(type, match: .exact)])
        // The broker refuses it for a secret.
        load.isAutomatic = true
        text = Self.line(try await Self.beginning(of: load, over: connection))
    }

    /// The type of the best kept text in UTF-8.
    private static func keptText(of item: Item) -> String? {
        let types = item.representations.lazy.filter { $0.provision == .kept }.map(UniformType.init(of:))
            .filter { $0.conforms(to: .text) && !$0.hasForeignEncoding }
        return (types.first { $0.conforms(to: .plainText) } ?? types.first)?.identifier
    }

    private static func beginning(of load: Load, over connection: BrokerConnection) async throws -> [UInt8] {
        do throws(RequestFailure) {
            return try await connection.loadBytes(load, upTo: byteCount).bytes
        } catch {
            guard ![.timeout, .cancelled].contains(error.failure.code), error.loss == .other else { throw error }
            // Other contents have replaced it.
            return []
        }
    }

    /// The first characters, with blanks in place of line breaks.
    static func line(_ bytes: [UInt8]) -> String {
        let words = String(decoding: bytes.prefix(byteCount), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        return text.count > characterCount ? "\(text.prefix(characterCount))…" : text
    }
}
