/// The version of this package, as `pasteboard version`, hello and welcome tell it.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
