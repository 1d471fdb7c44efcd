/// Where the broker's socket is: one rule, part of the protocol, the same for the broker and for every client.
///
/// 1. `$PASTEBOARD_SOCKET`, as it is.
/// 2. `$XDG_RUNTIME_DIR/pasteboard/socket`, if the variable names an absolute path that exists.
/// 3. `/run/user/UID/pasteboard/socket`, if that runtime directory exists and is the user's own: cron, sudo and
///    containers often have the directory without the variable.
/// 4. `${XDG_STATE_HOME:-~/.local/state}/pasteboard/BOOT-ID/socket`: no runtime directory at all. The boot id keeps a
///    socket of an earlier boot from being taken for a living one.
package struct WellKnownEndpoint: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// The socket's path; the directories above it are made if they are missing.
        case path(String)
        /// The socket's path as the user wrote it. At most its directory is made: more is missing where it is mistyped.
        case named(String)
        /// As `path`, but only if `base` exists: a variable may be left over from a session whose directory is gone.
        case ifPresent(base: String, path: String)
        /// As `path`, but only where `base` is a directory of this user's that nobody else may enter.
        case ifUsable(base: String, path: String)
    }

    /// In order: the first that can be used is the one.
    package let places: [Place]

    /// `environment` looks a variable up; an empty value counts as absent.
    package init(environment: (String) -> String?, userID: UInt32, bootID: String) throws(Failure) {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let socket = value("PASTEBOARD_SOCKET") {
            guard socket.hasPrefix("/") else {
                throw Failure(.brokerUnavailable, "PASTEBOARD_SOCKET is '\(socket)'; it has to be an absolute path")
            }
            self.places = [.named(socket)]
            return
        }
        var places: [Place] = []
        if let runtime = value("XDG_RUNTIME_DIR") {
            guard runtime.hasPrefix("/") else {
                throw Failure(
                    .brokerUnavailable,
                    "XDG_RUNTIME_DIR is '\(runtime)', not an absolute path; correct it or unset it"
                )
            }
            places.append(.ifPresent(base: runtime, path: "\(runtime)/pasteboard/socket"))
        }
        let runtime = "/run/user/\(userID)"
        places.append(.ifUsable(base: runtime, path: "\(runtime)/pasteboard/socket"))
        let state = value("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        if let state = state ?? value("HOME").map({ "\($0)/.local/state" }), state.hasPrefix("/") {
            places.append(.path("\(state)/pasteboard/\(bootID)/socket"))
        }
        self.places = places
    }
}
