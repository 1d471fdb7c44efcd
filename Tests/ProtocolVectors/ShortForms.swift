/// The words that stand for whole frames and values of exchanges. `Conformance.md` lists them.
package enum ShortForms {
    /// The kind and the fields of a frame that is written with this word alone.
    package static let frames: [String: (kind: String, fields: String)] = [
        "hello": (
            "hello",
            "1, maximum_version: 1, features: [condition, once-and-kept], role: program, label: \"conformance\", "
                + "maximum_streams: 16"
        ),
        "welcome": ("welcome", "1, epoch"),
        "write": ("write", "\"conformance\""),
        "kept": ("item", "{text, provision: kept}"),
        "promise": ("item", "{place, provision: promised}"),
        "commit": ("commit", "1"),
        "committed": ("committed", "any, epoch, handle"),
        "load": ("load", "\"conformance\", credit: 1000"),
        "list": ("list", "\"conformance\""),
        "clear": ("clear", "\"conformance\""),
        "drag": ("drag", "allows_move: true, moves_between_processes: true"),
        "destination": ("destination", "\"conformance\""),
        "move": ("move", "\"conformance\", sequence: 1"),
        "session": ("session", "1, handle, version: 1, item_count: 1"),
        "enter": ("enter", "question, location: \"conformance\""),
    ]

    /// The frames between a peer and the broker before the peer is named for the first time, by its name.
    static func greeting(of peer: String) -> String? {
        switch peer {
        case "stranger": nil
        case "link", "link2": "hello features: [links], role: link -> welcome"
        default: "hello -> welcome"
        }
    }

    /// The texts that are written as words.
    static let texts = [
        "text": "public.utf8-plain-text", "place": "com.example.place", "other": "com.example.other",
        "png": "public.png",
    ]

    /// The fields of values without a name. In other messages it is the one with the lowest number.
    static let mainFields: [String: UInt32] = [
        "Answer": 3, "Ask": 4, "Item": 2, "LoadRequest": 2, "Proposal": 2,
    ]

    /// The names of streams that the broker opens, by the kind of the first frame.
    static let streams = ["ask": "ask", "session": "session"]
}
