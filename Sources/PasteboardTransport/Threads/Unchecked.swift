/// A value that is passed to another thread although its type does not say that it may be: an object or a closure of a
/// program in Apple's names.
///
/// Sendable, because only one thread at a time uses the value here: it is passed on from one queue to the next, in the
/// order in which AppKit does that, and the program was written for that order.
package struct Unchecked<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
