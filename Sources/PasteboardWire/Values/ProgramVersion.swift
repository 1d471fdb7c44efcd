/// The version of this package, as in `pasteboard version`, hello and welcome.
package enum ProgramVersion {
    package static let current = "0.1.0"
    /// The date of the manual pages.
    package static let date = "November 27, 2026"
}
