package import PasteboardWire

// Tests write the numbers of messages, also unknown ones, as a client in another language would.

extension WireEnumeration where Self: ExpressibleByIntegerLiteral, IntegerLiteralType == UInt32 {
    package init(integerLiteral value: UInt32) {
        self.init(rawValue: value)
    }
}

extension Match: ExpressibleByIntegerLiteral {}
extension Preference: ExpressibleByIntegerLiteral {}
extension Visibility: ExpressibleByIntegerLiteral {}
extension Provision: ExpressibleByIntegerLiteral {}
extension RepresentationPolicy: ExpressibleByIntegerLiteral {}
extension ContentForm: ExpressibleByIntegerLiteral {}
extension PresentationStyle: ExpressibleByIntegerLiteral {}
extension DropOperation: ExpressibleByIntegerLiteral {}
extension EndReason: ExpressibleByIntegerLiteral {}
extension Role: ExpressibleByIntegerLiteral {}
extension FileOptions: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt32) {
        self.init(rawValue: value)
    }
}
