/// The rules by which contents outlive a broker, which are only here. *Reliability* has the same table.
///
/// | contents | after a crash of the broker, and a takeover | after its end in order |
/// | --- | --- | --- |
/// | kept | yes | yes, with the limit `kept-on-disk` |
/// | kept and transient | yes | no |
/// | secret, limited to a number of loads, of a drag session, a created board or a link | no | no |
/// | promised | by their source, which restores them | no |
///
/// - A write is acknowledged when the service manager has been sent what outlives a crash. If the manager takes
///   nothing, one write waits for it, and all are acknowledged as unsaved until it does.
/// - Until then a successor has the earlier contents of the board. After that it never has them again.
/// - A broker restores what the manager has passed; only without its index also what is on the disk.
package enum SavingRules {
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

    package struct Places: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The service manager, for a crash of the broker and a takeover.
        package static let manager = Places(rawValue: 1)
        /// The disk, when the broker ends in order.
        package static let disk = Places(rawValue: 2)
    }

    /// Where contents are saved.
    package static func places(for sort: Sort) -> Places {
        switch sort {
        case .temporary, .secret, .counted, .promised: []
        case .transient: .manager
        case .kept: [.manager, .disk]
        }
    }

    /// From where a broker restores contents at its start.
    ///
    /// - Parameter hasPassedAll: whether the service manager has passed everything that was saved with it.
    package static func source(hasPassedAll: Bool) -> Places { hasPassedAll ? .manager : .disk }
}
