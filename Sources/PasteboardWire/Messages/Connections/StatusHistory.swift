/// One of the last connections that ended or were refused.
package struct ClosedPeer: ProtobufMessage, Equatable {
    package var process: UInt32?
    package var label: String?
    /// Why the broker closed or refused the connection; none if the process closed it.
    package var reason: String?
    /// The time since then.
    package var milliseconds: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "process", &process)
        visit(2, "label", &label)
        visit(3, "reason", &reason)
        visit(4, "milliseconds", &milliseconds)
    }
}

/// A process with connections.
package struct ProcessStatus: ProtobufMessage, Equatable {
    package var process: UInt32?
    package var connections: UInt32?
    /// The estimated processor time that the broker spent on its input.
    package var microseconds: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "process", &process)
        visit(2, "connections", &connections)
        visit(3, "microseconds", &microseconds)
    }
}
