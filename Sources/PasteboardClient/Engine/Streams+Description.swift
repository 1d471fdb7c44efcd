import PasteboardTransport

// The table of streams, for `PASTEBOARD_DEBUG`: a task that waits is in no thread's stack.
extension Streams {
    /// For each stream in use: what it is, and what waits for what.
    var descriptions: [String] {
        slots.dropFirst().filter(\.isUsed).map { slot in
            let count = slot.isAsk ? 0 : slot.handle.map(answerCount(of:)) ?? 0
            return slot.description + (count > 0 ? "; answers under way: \(count)" : "")
        }
    }
}

extension Streams.Slot {
    fileprivate var description: String {
        var text = stream == 0 ? "no stream" : "#\(stream)"
        text += ": \(kind); \(wait)"
        if !events.isEmpty { text += "; not taken: \(events.count) events" }
        if !bytes.isEmpty { text += "; not taken: \(bytes.count) bytes" }
        if deadline != .max { text += "; at most \(MonotonicClock.millisecondsLeft(until: deadline)) ms more" }
        return text
    }

    private var kind: String {
        if isAsk { return "answer" }
        let contents = handle.map { "contents \($0)" }
        if let sink { return "\(type(of: sink))" + (contents.map { ", \($0)" } ?? "") }
        if let contents { return contents }
        if load != nil { return "load" }
        return isDestination ? "destination" : "request"
    }

    private var wait: String {
        if isOver, waiter == nil { return "over" }
        if sink != nil, waiter == nil { return "waits for the broker" }
        if waiter == nil { return work == nil ? "nobody waits" : "the handler runs" }
        return switch want {
        case .event: "a task waits for the broker"
        case .room: "a task waits for credit or the socket"
        case .sent: "a task waits until the socket has taken all"
        case .quiet: "a task waits for the end of answers"
        }
    }
}
