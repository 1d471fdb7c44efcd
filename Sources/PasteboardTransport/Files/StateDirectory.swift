import CPasteboardSystem

extension System {
    /// `pasteboard` in the user's directory for state; nil without one.
    ///
    /// - Parameter environment: returns the value of a variable.
    package static func stateDirectory(environment: (String) -> String? = { System.environment($0) }) -> String? {
        let state = environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = state ?? environment("HOME").map({ "\($0)/.local/state" }), base.hasPrefix("/") else {
            return nil
        }
        return "\(base)/pasteboard"
    }

    /// Whether a file is at a path; nil if the disk does not answer in time.
    package static func exists(_ path: String, milliseconds: Int) -> Bool? {
        let answer = pbs_exists_in_time(path, CInt(clamping: milliseconds))
        return answer < 0 ? nil : answer > 0
    }
}
