/// The rules for names that peers choose.
package enum BoardName {
    /// What a request means that names no board.
    package static let general = "general"

    /// 1 to 255 bytes of printable UTF-8 without `/`, and not `.` or `..`: a name is shown, and used as a file's name.
    ///
    /// - Parameter what: whose name it is, for the error.
    package static func check(_ name: String, of what: StaticString = "a pasteboard") throws(Failure) {
        // As nearly always.
        if name == self.general { return }
        let isPrintable = name.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar != "/"
        }
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= WireLimits.name, isPrintable else {
            throw Failure(
                .invalidArgument,
                "\(what)'s name has 1 to \(WireLimits.name) bytes, without '/' and control characters, and is not '.' or '..'"
            )
        }
    }
}
