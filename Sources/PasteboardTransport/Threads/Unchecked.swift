/// A value that other threads use although its type does not say that they may: the objects and closures of programs
/// in Apple's names, which keep to the threads of the original.
package struct Unchecked<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
