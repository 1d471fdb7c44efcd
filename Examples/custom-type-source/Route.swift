import FoundationEssentials
import PasteboardKit

/// A way through several places: what this program works with, and no other program knows.
struct Route: Codable, Sendable {
    var name: String
    var stops: [String]
}

extension UniformType {
    /// The program's own type. What it conforms to travels with every promise, so that programs which have never heard of it
    /// know it for JSON; the tags are for this program's own files.
    static let route = declare(
        "org.example.route",
        conformingTo: [.json],
        tags: [.filenameExtension: ["route"], .mimeType: ["application/vnd.example.route+json"]]
    )
}
