/// The numbers of the protocol's rules.
package enum ProtocolRule {
    /// Each letter with its highest number, in the order of the articles.
    private static let letters: [(Character, Int)] = [
        ("P", 4), ("B", 5), ("F", 8), ("S", 12), ("M", 8), ("V", 1), ("C", 12), ("N", 11), ("X", 2), ("H", 10),
        ("W", 17), ("L", 9), ("T", 9), ("A", 7), ("K", 6), ("Q", 6), ("O", 9), ("I", 13), ("U", 12), ("Y", 32),
        ("G", 10), ("D", 4), ("E", 17), ("R", 5), ("J", 8),
    ]

    /// The parts of rules that no vector tests, although others test the rule.
    package static let untested = [
        "E16": "a destination of another process",
        "O6": "that requests wait while a client does not read",
        "U6": "a regular file that is open for writing",
        "N8": "peers of other processes",
        "N9": "the status",
        "W6": "boards that are cleared to make room",
        "Y3": "the status",
        "Y8": "more than 64 representations of an item, and more than 512 items",
        "Y12": "the time between two changes",
        "Y20": "contents that another process has written",
        "Y21": "that the next change count is higher",
        "Y22": "the 2 s after the start of the broker",
        "Y25": "boards that the broker has forgotten",
        "Y26": "contents of an earlier broker, and reclaims",
        "Y29": "moments that are ahead of the clock, and saved contents",
        "Y31": "that nothing is saved, and failures of drops at links",
    ]

    /// Every rule, such as "F3". J4 is gone.
    package static let all = letters.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }.filter {
        $0 != "J4"
    }
}
