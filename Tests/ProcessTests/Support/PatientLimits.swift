/// The limits with which a broker ends no wait by itself, so that no test depends on how soon its programs get a
/// processor.
///
/// They are the default of all brokers of these tests. A test names a limit only if the limit is its subject.
enum PatientLimits {
    private static let names = [
        "hello", "first-byte", "progress", "proposal", "drop-window", "conclude", "session",
    ]

    /// Assignments of a limit, with the patient ones for all limits that they do not name.
    static func with(_ named: [String]) -> [String] {
        named + names.filter { name in !named.contains { $0.hasPrefix("\(name)=") } }.map { "\($0)=10m" }
    }

    /// A configuration, with the patient limits after its lines for all limits that it does not name.
    static func with(configuration: String) -> String {
        let missing = names.filter { name in
            !configuration.split(separator: "\n").contains { $0.hasPrefix("\(name) =") }
        }
        return missing.reduce(into: configuration) { $0 += "\($1) = 10m\n" }
    }
}
