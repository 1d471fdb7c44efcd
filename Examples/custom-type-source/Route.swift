import FoundationEssentials
import PasteboardKit

/// A route through several places. Only this program knows the type.
struct Route: Codable, Sendable {
    var name: String
    var stops: [String]
}

extension UniformType {
    /// The program's own type. Its supertypes are sent with every promise, so programs that do not know the type still
    /// recognize it as JSON. The tags are for this program's own files.
    static let route = declare(
        "org.example.route",
        conformingTo: [.json],
        tags: [.filenameExtension: ["route"], .mimeType: ["application/vnd.example.route+json"]]
    )
}
