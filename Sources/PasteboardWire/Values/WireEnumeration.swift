/// A number in a message that names one of several values, such as a visibility or a drop operation.
///
/// A conforming type keeps numbers that this version does not know, so that the broker passes some values on unchanged
/// even if only its peers understand them. Of the others, it refuses unknown numbers in requests. An absent field means
/// the value 0, `Self.absent`.
package protocol WireEnumeration: WireNumber, Hashable {
    /// The highest number that this version knows.
    static var highest: UInt32 { get }

    /// The names of the numbers from 0 to `highest`, as the schema spells them.
    static var names: [String] { get }
}

extension WireEnumeration {
    /// The meaning of a field that was not sent.
    @inlinable package static var absent: Self { Self(rawValue: 0) }

    /// Whether this version knows the number.
    package var isKnown: Bool { rawValue <= Self.highest }
}
