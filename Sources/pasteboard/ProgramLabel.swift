import PasteboardTransport
import PasteboardWire

/// The name under which this program connects, which `list`, `status` and errors show.
enum ProgramLabel {
    static let variable = "PASTEBOARD_LABEL"

    /// The label of the environment, else the program's name. In the command of a watch it names the watch, too.
    static var current: String {
        let suffix = WatchedCommand.labelSuffix ?? ""
        let given = System.environment(variable) ?? ""
        // An invalid variable must not make every command fail.
        let isValid = !given.isEmpty && given.utf8.count + suffix.utf8.count <= WireLimits.name
        return (isValid ? given : "pasteboard") + suffix
    }

    /// Sets the label, also for the programs that the command runs.
    static func set(_ label: String) throws {
        let longest = WireLimits.name - (WatchedCommand.labelSuffix ?? "").utf8.count
        guard !label.isEmpty, label.utf8.count <= longest else {
            throw CommandFailure(usage: "a label has 1 to \(longest) bytes; that of --label has \(label.utf8.count)")
        }
        try System.setEnvironment(variable, to: label)
    }
}

extension CommandSyntax.Option {
    static let label = Self("--label", value: "NAME", "the name of this program in lists and errors")
}
