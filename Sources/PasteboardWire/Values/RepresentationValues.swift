/// The peers that may see and load a representation.
package struct Visibility: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Every peer, including links to other machines.
    @inlinable package static var all: Visibility { Visibility(rawValue: 0) }
    /// This user's programs on this machine.
    @inlinable package static var team: Visibility { Visibility(rawValue: 1) }
    /// The source's process, and peers that present the same group token in hello.
    @inlinable package static var group: Visibility { Visibility(rawValue: 2) }
    /// The source's process alone.
    @inlinable package static var ownProcess: Visibility { Visibility(rawValue: 3) }

    package static var highest: UInt32 { 3 }
    package static var names: [String] { ["all", "team", "group", "own_process"] }
}

/// The state of a representation's bytes: promised, kept or gone.
package struct Provision: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The source has the bytes, and is asked for them.
    @inlinable package static var promised: Provision { Provision(rawValue: 0) }
    /// The broker has the bytes. In a write, they follow the item.
    @inlinable package static var kept: Provision { Provision(rawValue: 1) }
    /// The bytes are gone, because the source of the promise has ended. Only in the answer to a list.
    @inlinable package static var gone: Provision { Provision(rawValue: 2) }

    package static var highest: UInt32 { 2 }
    package static var names: [String] { ["promised", "kept", "gone"] }
}

/// The number of times that the source of a promise is asked for its bytes.
package struct RepresentationPolicy: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The source is asked at each load.
    @inlinable package static var askedEachTime: RepresentationPolicy { RepresentationPolicy(rawValue: 0) }
    /// The source is asked once, and the broker then keeps the bytes. Requires the feature `onceAndKept`.
    @inlinable package static var onceAndKept: RepresentationPolicy { RepresentationPolicy(rawValue: 1) }

    package static var highest: UInt32 { 1 }
    package static var names: [String] { ["asked_each_time", "once_and_kept"] }
}

/// The form of a representation's bytes.
package struct ContentForm: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The bytes of the type itself.
    @inlinable package static var plain: ContentForm { ContentForm(rawValue: 0) }
    /// A tar archive of the folder that the representation is.
    @inlinable package static var folderArchive: ContentForm { ContentForm(rawValue: 1) }

    package static var highest: UInt32 { 1 }
    package static var names: [String] { ["plain", "folder_archive"] }
}

/// The ways in which a source may pass its own file.
package struct FileOptions: OptionSet, WireNumber, Hashable {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The file may be opened where it is.
    @inlinable package static var openInPlace: FileOptions { FileOptions(rawValue: 1) }
}

/// The form in which an item prefers to be shown.
package struct PresentationStyle: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable package static var unspecified: PresentationStyle { PresentationStyle(rawValue: 0) }
    @inlinable package static var inline: PresentationStyle { PresentationStyle(rawValue: 1) }
    @inlinable package static var attachment: PresentationStyle { PresentationStyle(rawValue: 2) }

    package static var highest: UInt32 { 2 }
    package static var names: [String] { ["unspecified", "inline", "attachment"] }
}
