import PasteboardClient
import PasteboardWire

// The entries of a status as rows of `status`, `list`, `links`, `limits` and `drop --list`.

extension PeerStatus {
    var row: ReportRow {
        [
            .text("label", label), .number("process", process), .number("publications", publications ?? 0),
            .number("loads", loads ?? 0), .number("asks", asks ?? 0),
        ]
    }

    /// The row of a link to another machine.
    var linkRow: ReportRow {
        [
            .text("label", label), .number("process", process), .time("milliseconds", milliseconds) { "for \($0)" },
            .number("bytesIn", sentBytes ?? 0, "\(ByteCount.text(sentBytes ?? 0)) in"),
            .number("bytesOut", receivedBytes ?? 0, "\(ByteCount.text(receivedBytes ?? 0)) out"),
        ]
    }
}

extension BoardStatus {
    func row(_ epoch: UInt64?) -> ReportRow {
        let count = itemCount ?? 0
        var owner = ReportRow.Field.owner(ownerLabel, ownerProcess)
        if count == 0 { owner.cell = "" }
        return [
            .text("board", name), .json("changeCount", JSONValue(changeCount)),
            .json("epoch", JSONValue(epoch.map { String($0) })), .counted("items", count, "item"),
            .number("keptBytes", keptBytes, keptBytes.map { "\(ByteCount.text($0)) kept" } ?? "-"), owner,
            .types("types", types), .json("title", JSONValue(title)), .json("milliseconds", JSONValue(milliseconds)),
            .init(cell: terms?.words ?? "", members: [("terms", terms?.json ?? .null)]),
        ]
    }
}

extension DestinationStatus {
    var row: ReportRow {
        [
            .text("name", name), .program(label, process), .counted("sessions", sessions, "session"),
            .types("accepts", types, none: "anything"),
        ]
    }
}

extension SessionStatus {
    var row: ReportRow {
        [
            .text("state", state), .owner(ownerLabel, ownerProcess), .counted("items", itemCount, "item"),
            .text("destination", destination, destination.map { "at \($0)" }),
            .text("operation", operation.map { "\($0)" }), .time("milliseconds", milliseconds), .types("types", types),
        ]
    }
}

extension LoadStatus {
    var row: ReportRow {
        [
            .text("type", type),
            .number("source", source, "from \(source.map { "process \($0)" } ?? "the broker")"),
            .number("destination", destination, "to \(destination.map { "process \($0)" } ?? "the broker")"),
            // The size of a secret is not shown.
            .number("bytes", byteCount, byteCount.map { ByteCount.text($0) } ?? "-"),
            .time("milliseconds", milliseconds),
        ]
    }
}

extension ProcessStatus {
    var row: ReportRow {
        let time = microseconds ?? 0
        let text = time < 10_000 ? "\(time) µs" : "\(time / 1_000) ms"
        return [
            .number("process", process), .counted("connections", connections, "connection"),
            .number("processorMicroseconds", time, "about \(text) of processor time"),
        ]
    }
}

extension ClosedPeer {
    var row: ReportRow {
        [
            .program(label, process), .time("millisecondsAgo", milliseconds) { "\($0) ago" },
            .text("reason", reason, reason ?? "closed by the program"),
        ]
    }
}

extension NamedNumber {
    /// The name, the value and the meaning of a limit. The broker writes the unit before the meaning.
    var limitRow: ReportRow {
        let (value, note) = (value ?? 0, note ?? "")
        let units: [(String, (UInt64) -> String)] = [
            ("bytes: ", { ByteCount.text($0) }), ("milliseconds: ", { TimeSpan.text(milliseconds: $0) }),
            ("count: ", { String($0) }),
        ]
        let unit = units.first { note.hasPrefix($0.0) }
        return [
            .text("name", name), .number("value", self.value, unit?.1(value) ?? String(value)),
            .text("meaning", self.note, String(note.dropFirst(unit?.0.count ?? 0))),
        ]
    }
}
