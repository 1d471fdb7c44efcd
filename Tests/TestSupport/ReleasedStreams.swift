import FoundationEssentials

/// The bytes that earlier versions have sent and stored, in `Tests/ReleasedStreams/VERSION`. Their files never change.
package enum ReleasedStreams {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ReleasedStreams")

    package static let versions: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()

    /// A file of a version.
    package static func text(_ name: String, of version: String) throws -> String {
        try String(contentsOf: directory.appending(path: "\(version)/\(name)"), encoding: .utf8)
    }
}
