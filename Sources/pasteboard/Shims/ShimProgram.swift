/// A clipboard program of another system, which this program stands in for when it is started by a link of that name.
enum ShimProgram: String, CaseIterable, Sendable {
    case pbcopy
    case pbpaste
    case wlCopy = "wl-copy"
    case wlPaste = "wl-paste"
    case xclip
    case xsel

    /// The names of the links.
    static let names = allCases.map(\.rawValue)

    /// The program whose name this process was started by; nil for any other name.
    static var started: ShimProgram? {
        // The pointer is valid until the process ends.
        guard let path = CommandLine.unsafeArgv[0].map({ String(cString: $0) }) else { return nil }
        return path.split(separator: "/").last.flatMap { ShimProgram(rawValue: String($0)) }
    }

    /// Whether its options are words after a single dash, which may be abbreviated. Otherwise they are letters, which
    /// may be combined, and words after two dashes.
    var hasLongNamesOnly: Bool {
        switch self {
        case .pbcopy, .pbpaste, .xclip: true
        case .wlCopy, .wlPaste, .xsel: false
        }
    }

    /// The name of its option for help, which a message about wrong usage mentions.
    var helpOption: String { hasLongNamesOnly ? "-help" : "--help" }
}
