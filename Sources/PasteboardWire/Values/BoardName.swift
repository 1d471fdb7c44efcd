/// The rules for names that peers choose.
package enum BoardName {
    /// The board of a request that names none.
    package static let general = "general"
    /// The boards that cannot be removed.
    package static let standard = [general, "find", "primary", "drag"]

    /// Throws unless the name has 1 to 255 bytes of printable UTF-8 without `/`, and is not `.` or `..`. Names are
    /// shown to people and used as file names.
    ///
    /// - Parameter what: the kind of thing that has the name, for the error text.
    package static func check(_ name: String, of what: StaticString = "a pasteboard") throws(Failure) {
        // The name in nearly all requests.
        if name == general { return }
        let isPrintable = name.unicodeScalars.allSatisfy { scalar in
            !scalar.isControl && scalar != "/"
        }
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= WireLimits.name, isPrintable else {
            throw Failure(
                .invalidArgument,
                "\(what)'s name must have 1 to \(WireLimits.name) bytes without '/' and control characters, and must not be "
                    + "'.' or '..'"
            )
        }
    }
}
