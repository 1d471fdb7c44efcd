import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One item that was pasted or dropped, as `--json` prints it.
struct PasteReport {
    private let board: String
    private let changeCount: UInt64?
    private let item: UInt32
    private var type: String?
    private var name: String?
    var byteCount: UInt64 = 0
    /// The file that was written; nil for standard output.
    var path: SystemString?

    init(_ board: String, _ changeCount: UInt64?, item: UInt32, path: SystemString?) {
        (self.board, self.changeCount, self.item, self.path) = (board, changeCount, item, path)
    }

    /// - Parameter listed: the representation as it was listed.
    mutating func record(_ answer: Answer, _ listed: Representation?) {
        type = answer.type
        name = answer.suggestedName ?? listed?.file?.name.map { SystemString($0).description }
    }

    var json: JSONValue {
        [
            "board": .string(board), "changeCount": JSONValue(changeCount), "item": JSONValue(UInt64(item) + 1),
            "type": JSONValue(type), "bytes": JSONValue(byteCount), "name": JSONValue(name),
            "path": JSONValue(path?.description),
        ]
    }
}
