import PasteboardClient
import PasteboardWire
import TypeIdentifiers

// Destinations and drag sessions as lines and as JSON.

extension DestinationStatus {
    var row: [String] {
        let count = self.sessions ?? 0
        let owner = [self.label, self.process.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        return [
            self.name, owner, count == 1 ? "1 session" : "\(count) sessions",
            self.types.isEmpty ? "anything" : self.types.map(UniformType.readable).joined(separator: " "),
        ]
    }

    var json: JSONValue {
        [
            "name": .string(self.name),
            // Empty: it takes any type.
            "accepts": .array(self.types.map { .string($0) }),
            "process": JSONValue(self.process), "label": JSONValue(self.label),
            "sessions": JSONValue(self.sessions ?? 0),
        ]
    }
}

extension SessionStatus {
    private var word: String? {
        self.operation.map { operation in "\(SessionOperation(received: operation))" }
    }

    var row: [String] {
        let count = self.itemCount ?? 0
        let owner = [self.ownerLabel, self.ownerProcess.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        return [
            self.state, owner, count == 1 ? "1 item" : "\(count) items", self.destination.map { "at \($0)" } ?? "-",
            self.word ?? "-", "\(self.milliseconds ?? 0) ms",
            self.types.map(UniformType.readable).joined(separator: " "),
        ]
    }

    var json: JSONValue {
        [
            "state": .string(self.state),
            "owner": ["process": JSONValue(self.ownerProcess), "label": JSONValue(self.ownerLabel)],
            "items": JSONValue(self.itemCount ?? 0),
            "types": .array(self.types.map { .string($0) }),
            "destination": JSONValue(self.destination),
            "operation": JSONValue(self.word),
            "milliseconds": JSONValue(self.milliseconds ?? 0),
        ]
    }
}
