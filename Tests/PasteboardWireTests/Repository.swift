import FoundationEssentials

/// Source files that tests compare with the code.
enum Repository {
    static let schema = "Sources/PasteboardWire/pasteboard.proto"
    static let protocolText = "Sources/PasteboardWire/PasteboardWire.docc/Protocol.md"
    static let frameKinds = "Sources/PasteboardWire/frame-kinds.tsv"
    static let protobufPeer = "Tests/PasteboardWireTests/Resources/protobuf_peer.py"

    static func path(_ relative: String) -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/\(relative)"
    }

    static func text(_ relative: String) throws -> String {
        try String(contentsOfFile: path(relative), encoding: .utf8)
    }
}
