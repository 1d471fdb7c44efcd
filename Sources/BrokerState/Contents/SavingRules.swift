import PasteboardWire

/// The rules by which contents outlive a broker, which are only here. *Reliability* has the same table.
///
/// | contents | a file in memory | with the limit `kept-on-disk`, copied to the disk when the broker ends |
/// | --- | --- | --- |
/// | kept | yes | yes |
/// | kept and transient | yes | no |
/// | secret, limited to a number of loads, of a drag session, a created board or a link | no | no |
/// | promised | no: their source restores them | no |
///
/// - A file in memory is there until the contents are replaced, cleared or expired, the user's last session ends, or
///   the machine restarts. The copy on the disk also survives the last two.
/// - A write is acknowledged when its file has its name. The acknowledgement says whether that has failed.
package enum SavingRules {
    /// The greatest size of the small representations that are a part of their board's file, in bytes, and of all of
    /// them together. Others have files of their own.
    package static let (partSize, partsSize) = (WireLimits.inlineLength, 1 << 20)

    /// Contents by what decides their survival. Contents that are several of these are the first.
    package enum Sort: CaseIterable, Sendable {
        /// A part of a drag session, on a board that ends with its creator, or of a link, with which they end.
        case temporary
        case secret
        /// Can be loaded a limited number of times: a successor could not know how often they were loaded.
        case counted
        /// Nothing of them is kept.
        case promised
        case transient
        case kept
    }

    /// Whether contents are saved in a file in memory.
    package static func isSaved(_ sort: Sort) -> Bool {
        switch sort {
        case .temporary, .secret, .counted, .promised: false
        case .transient, .kept: true
        }
    }

    /// Whether their file is also copied to the disk when the broker ends.
    package static func isCopied(_ sort: Sort) -> Bool { sort == .kept }
}
