/// The location of a session, without a screen: a destination, and a row or a point in it.
package struct Location: ProtobufMessage {
    package var destination: String = ""
    /// Usually section and row; empty if there is no index path.
    package var indexPath: [UInt32] = []
    /// The coordinates in thousandths of a point.
    package var x: Int64?
    package var y: Int64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "destination", &destination)
        visit(2, "index_path", &indexPath, most: WireLimits.indexPath)
        visit(3, "x", &x)
        visit(4, "y", &y)
    }
}
