import PasteboardWire
import TypeIdentifiers

// The history in a status: who loaded what, and which connections have ended.

extension BoardRead {
    var row: [String] {
        [board, TextTable.program(label, process), type.map(UniformType.readable) ?? "-", ago(milliseconds)]
    }

    var json: JSONValue {
        [
            "board": .string(board), "process": JSONValue(process), "label": JSONValue(label), "type": JSONValue(type),
            "millisecondsAgo": JSONValue(milliseconds ?? 0),
        ]
    }
}

extension ClosedPeer {
    var row: [String] {
        [TextTable.program(label, process), ago(milliseconds), reason ?? "closed by the program"]
    }

    var json: JSONValue {
        [
            "process": JSONValue(process), "label": JSONValue(label), "reason": JSONValue(reason),
            "millisecondsAgo": JSONValue(milliseconds ?? 0),
        ]
    }
}

extension ProcessStatus {
    var row: [String] {
        [
            "process \(process ?? 0)", (connections ?? 0).counted("connection"),
            "about \(processorTime) of processor time",
        ]
    }

    var json: JSONValue {
        [
            "process": JSONValue(process), "connections": JSONValue(connections ?? 0),
            "processorMicroseconds": JSONValue(microseconds ?? 0),
        ]
    }

    private var processorTime: String {
        let microseconds = microseconds ?? 0
        return microseconds < 10_000 ? "\(microseconds) µs" : "\(microseconds / 1_000) ms"
    }
}

private func ago(_ milliseconds: UInt64?) -> String {
    "\(TimeSpan.text(milliseconds: milliseconds ?? 0)) ago"
}
