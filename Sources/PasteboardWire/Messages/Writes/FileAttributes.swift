/// The name, mode and time of a file whose contents are the representation. A destination that makes a file of it
/// restores them.
///
/// The broker passes them on unchanged. A name that a program merely suggests is not one of them: it is the item's
/// `suggestedName`, to which a destination may add an extension.
package struct FileAttributes: ProtobufMessage {
    /// The permissions that a file may have: reading, writing and executing, without set-user-id and the like.
    package static let permissions: UInt32 = 0o777

    /// The last component of the path, in the file system's bytes, which need not be UTF-8.
    package var name: [UInt8]?
    /// The permissions; other bits are ignored.
    package var mode: UInt32?
    /// The time of the last modification, in seconds since 1970.
    package var modifiedSeconds: Int64?
    /// The nanoseconds after that second.
    package var modifiedNanoseconds: UInt32?

    package init() {}

    /// The mode for a copy: only the permissions in the mode that the sender has set.
    package var copyMode: UInt32? { mode.map { $0 & Self.permissions } }

    /// Whether the name, if there is one, is one component of a path. `.` and `..` are not.
    package var isWellFormed: Bool {
        guard let name else { return true }
        return !name.isEmpty && !name.contains(0) && !name.contains(UInt8(ascii: "/"))
            && name != [UInt8(ascii: ".")] && name != [UInt8(ascii: "."), UInt8(ascii: ".")]
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "name", &name, most: WireLimits.name)
        visit(2, "mode", &mode)
        visit(3, "modified_seconds", &modifiedSeconds)
        visit(4, "modified_nanoseconds", &modifiedNanoseconds)
    }
}
