/// Reports that the session was dropped here. The destination may begin loads until it sends `performed`.
package struct Perform: WireMessage {
    package static let kind = FrameKind.perform

    package var operation: DropOperation?
    package var location: Location?
    package var version: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "operation", &operation)
        visit(2, "location", &location)
        visit(3, "version", &version)
    }
}
