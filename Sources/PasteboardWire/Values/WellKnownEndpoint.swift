/// The path of the broker's socket. The rule is part of the protocol, the same for the broker and for every client.
///
/// 1. `$PASTEBOARD_SOCKET`, unchanged.
/// 2. `$XDG_RUNTIME_DIR/pasteboard/socket`, if the variable contains the absolute path of a directory of this user.
/// 3. `/run/user/UID/pasteboard/socket`, if that runtime directory exists and belongs to the user: cron, sudo and
///    containers often have the directory without the variable.
/// 4. `${XDG_STATE_HOME:-~/.local/state}/pasteboard/BOOT-ID/socket`, if there is no runtime directory. The boot
///    id distinguishes a socket from those of earlier boots.
package struct WellKnownEndpoint: Sendable, Equatable {
    package enum Candidate: Sendable, Equatable {
        /// The socket's path as the user wrote it. Only its last directory is created: if more are missing, the path is
        /// probably mistyped.
        case named(String)
        /// The socket's path if `base` exists and belongs to this user: the variable may be left from a session whose
        /// directory was removed, or from another user.
        case ifOwn(base: String, path: String)
        /// Like `ifOwn`, but only if `base` is a directory that no other user may enter.
        case ifUsable(base: String, path: String)
        /// The file `socket` in a directory that is below `base` and has the name of this boot.
        case ofThisBoot(base: String)
    }

    /// The candidates in order. The first usable one is taken.
    package let candidates: [Candidate]

    /// Determines the candidates. `environment` returns the value of a variable; an empty value counts as absent.
    package init(environment: (String) -> String?, userID: UInt32) throws(Failure) {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let socket = value("PASTEBOARD_SOCKET") {
            guard socket.hasPrefix("/") else {
                throw Failure(.brokerUnavailable, "PASTEBOARD_SOCKET is '\(socket)'; it has to be an absolute path")
            }
            self.candidates = [.named(socket)]
            return
        }
        var candidates: [Candidate] = []
        if let runtime = value("XDG_RUNTIME_DIR") {
            guard runtime.hasPrefix("/") else {
                throw Failure(
                    .brokerUnavailable,
                    "XDG_RUNTIME_DIR is '\(runtime)', not an absolute path; correct it or unset it"
                )
            }
            candidates.append(.ifOwn(base: runtime, path: "\(runtime)/pasteboard/socket"))
        }
        let runtime = "/run/user/\(userID)"
        candidates.append(.ifUsable(base: runtime, path: "\(runtime)/pasteboard/socket"))
        let state = value("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        if let state = state ?? value("HOME").map({ "\($0)/.local/state" }), state.hasPrefix("/") {
            candidates.append(.ofThisBoot(base: "\(state)/pasteboard"))
        }
        self.candidates = candidates
    }
}
