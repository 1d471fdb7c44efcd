import PasteboardTransport

// The table of streams, for `PASTEBOARD_DEBUG`: a task that waits is in no thread's stack.
extension Streams {
    /// For each stream in use: what it is, and what waits for what.
    var descriptions: [String] { slots.dropFirst().filter(\.isUsed).map(\.description) }
}

extension Streams.Slot: CustomStringConvertible {
    var description: String {
        var text = stream == 0 ? "no stream" : "#\(stream)"
        text += ": \(kind); \(wait)"
        if !events.isEmpty { text += "; not taken: \(events.count) events" }
        if !bytes.isEmpty { text += "; not taken: \(bytes.count) bytes" }
        if deadline != .max { text += "; at most \(MonotonicClock.millisecondsLeft(until: deadline)) ms more" }
        return text
    }

    private var kind: String {
        if let sink {
            return "\(type(of: sink))" + (handle.map { ", contents \($0), answers under way: \(answers)" } ?? "")
        }
        if let handle { return "contents \(handle), answers under way: \(answers)" }
        if isAsk { return "answer" }
        if load != nil { return "load" }
        return isDestination ? "destination" : "request"
    }

    private var wait: String {
        if isOver, waiter == nil { return "over" }
        if sink != nil, waiter == nil { return "waits for the broker" }
        if waiter == nil { return handler == nil ? "nobody waits" : "the handler runs" }
        return switch want {
        case .event: "a task waits for the broker"
        case .room: "a task waits for credit or the socket"
        case .sent: "a task waits until the socket has taken all"
        case .quiet: "a task waits for the end of answers"
        case .lateAsk: "a task waits for late asks"
        }
    }
}
