import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Processes for which the broker holds something until they end.
enum Holders {
    /// Connections that have sent hello and nothing else.
    static func connections(_ socket: String, _ count: Int) throws -> Never {
        _ = System.raiseDescriptorLimit()
        let connections = try (0..<count).map { _ in
            let connection = try CoreConnection.open(socket)
            _ = try connection.welcome()
            return connection
        }
        try Role.ready()
        while true { pause() }
        withExtendedLifetime(connections) {}
    }

    /// Promises of three types each, a hundred on each board.
    static func promises(_ socket: String, _ count: Int) throws -> Never {
        let connection = try CoreConnection.open(socket)
        let types = ["public.utf8-plain-text", "public.html", "public.png"]
        let item = WriteItem(
            representations: types.map { type in
                var representation = Representation()
                representation.type = type
                return (representation: representation, source: .promised)
            }
        )
        for start in stride(from: 0, to: count, by: 100) {
            var write = Write()
            write.board = "board \(start)"
            _ = try connection.write(write, items: [WriteItem](repeating: item, count: min(100, count - start)))
        }
        try Role.ready()
        while true { pause() }
    }

    /// Watches of the general board. Prints a line when each has reported that the board is empty.
    static func watches(_ socket: String, _ count: Int) throws -> Never {
        let connection = try CoreConnection.open(socket)
        var watch = Watch()
        watch.credit = 1
        var waiting: Set<UInt64> = []
        for _ in 0..<count { waiting.insert(try connection.io.state.open(watch)) }
        var registered = 0
        while registered < count {
            try connection.turn { _, event, _ in
                if case .registered = event { registered += 1 }
            }
        }
        try Role.ready()
        while !waiting.isEmpty {
            try connection.turn { state, event, _ in
                guard case .changed(let stream, let change) = event else { return }
                state.grantChange(stream)
                if change.handle == nil { waiting.remove(stream) }
            }
        }
        try Role.say("done")
        while true { pause() }
    }

    /// Promises bytes, prints a line when they are requested, and never sends any.
    static func silence(_ socket: String) throws -> Never {
        let connection = try CoreConnection.open(socket)
        _ = try connection.write(Write(), items: [CoreConnection.item(.promised)])
        try Role.ready()
        var wasAsked = false
        while !wasAsked {
            try connection.turn { _, event, _ in
                if case .asked = event { wasAsked = true }
            }
        }
        try Role.say("asked")
        while true { pause() }
    }
}
