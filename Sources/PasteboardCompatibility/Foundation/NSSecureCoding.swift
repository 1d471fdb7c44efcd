public import Foundation

// On Apple's systems, `value as NSSecureCoding` makes an object of a value, and `item as? URL` a value of an object. On
// Linux a cast does the second at run time, but the compiler expects that it fails, and rejects the first, unless the
// values conform to the protocol. They are coded as the objects that they bridge to.
extension NSSecureCoding where Self: _ObjectiveCBridgeable, Self._ObjectiveCType: NSCoding {
    /// True, as for the object.
    public static var supportsSecureCoding: Bool { true }

    /// Makes a value from the coded object.
    public init?(coder: NSCoder) {
        guard let object = Self._ObjectiveCType(coder: coder) else { return nil }
        self = ._unconditionallyBridgeFromObjectiveC(object)
    }

    /// Encodes the object.
    public func encode(with coder: NSCoder) {
        _bridgeToObjectiveC().encode(with: coder)
    }
}

extension Array: @retroactive NSSecureCoding {}
extension Bool: @retroactive NSSecureCoding {}
extension Data: @retroactive NSSecureCoding {}
extension Date: @retroactive NSSecureCoding {}
extension Dictionary: @retroactive NSSecureCoding {}
extension Double: @retroactive NSSecureCoding {}
extension Int: @retroactive NSSecureCoding {}
extension String: @retroactive NSSecureCoding {}
extension URL: @retroactive NSSecureCoding {}
