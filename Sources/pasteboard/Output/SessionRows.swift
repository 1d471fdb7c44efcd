import PasteboardClient
import PasteboardWire
import TypeIdentifiers

// Destinations and drag sessions as lines and as JSON.

extension DestinationStatus {
    var row: [String] {
        [
            name, TextTable.program(label, process), (sessions ?? 0).counted("session"),
            types.isEmpty ? "anything" : types.map(UniformType.readable).joined(separator: " "),
        ]
    }

    var json: JSONValue {
        [
            "name": .string(name),
            // Empty if it accepts any type.
            "accepts": .array(types.map { .string($0) }),
            "process": JSONValue(process), "label": JSONValue(label),
            "sessions": JSONValue(sessions ?? 0),
        ]
    }
}

extension SessionStatus {
    private var word: String? {
        operation.map { operation in "\(operation)" }
    }

    var row: [String] {
        [
            state, TextTable.program(ownerLabel, ownerProcess), (itemCount ?? 0).counted("item"),
            destination.map { "at \($0)" } ?? "-",
            word ?? "-", TimeSpan.text(milliseconds: milliseconds ?? 0),
            types.map(UniformType.readable).joined(separator: " "),
        ]
    }

    var json: JSONValue {
        [
            "state": .string(state),
            "owner": ["process": JSONValue(ownerProcess), "label": JSONValue(ownerLabel)],
            "items": JSONValue(itemCount ?? 0),
            "types": .array(types.map { .string($0) }),
            "destination": JSONValue(destination),
            "operation": JSONValue(word),
            "milliseconds": JSONValue(milliseconds ?? 0),
        ]
    }
}
