import PasteboardWire

/// A name among those of a selection that is the origin of the contents: their moment, and the brokers and displays
/// through which they have come. So bridges, links and clipboard managers beside each other bring no contents back, and
/// nothing old.
enum BridgeMark {
    private static let prefix = "application/x-pasteboard-bridge."

    static func isMark(_ name: String) -> Bool { name.lowercased().hasPrefix(prefix) }

    static func name(of origin: Origin) -> String {
        let numbers =
            [origin.milliseconds.map { String($0, radix: 16) } ?? ""] + origin.path.map { String($0, radix: 16) }
        return prefix + numbers.joined(separator: ".")
    }

    /// The origin that is among names; nil if none is.
    static func origin(in names: [String]) -> Origin? {
        guard let name = names.first(where: isMark) else { return nil }
        let numbers = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
            .prefix(WireLimits.originPath + 1).map { UInt64($0, radix: 16) }
        var origin = Origin()
        (origin.milliseconds, origin.path) = (numbers.first ?? nil, numbers.dropFirst().compactMap(\.self))
        return origin.path.isEmpty ? nil : origin
    }
}

extension Origin {
    /// The origin of what a program of a display, or its user, does now.
    init(of display: UInt64) {
        self.init()
        path = [display]
    }

    /// The origin with the number of a display at the end of its path, unchanged if it has come through this display
    /// already; nil if the path is full.
    func passing(_ display: UInt64) -> Origin? {
        guard !path.contains(display) else { return self }
        // The broker adds its own epoch.
        guard path.count + 1 < WireLimits.originPath else { return nil }
        var origin = self
        origin.path.append(display)
        return origin
    }

    /// Whether it is the same write.
    func isSame(as other: Origin?) -> Bool {
        milliseconds != nil && milliseconds == other?.milliseconds && path.first == other?.path.first
    }
}

extension Clear {
    /// A clear of a board on a display.
    init(_ board: String, ifChangeCount: UInt64?, from origin: Origin) {
        self.init(board, ifChangeCount: ifChangeCount)
        self.origin = origin
        requires.append(Feature.links.rawValue)
    }
}
