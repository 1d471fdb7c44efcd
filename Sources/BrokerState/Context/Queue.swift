/// A queue that uses the same memory again, so that it does not allocate while its length is bounded.
package struct Queue<Element: Equatable & Sendable>: Sendable {
    private var elements: [Element] = []
    /// The index of the first element.
    private var start = 0

    package init() {}

    package var isEmpty: Bool { start == elements.count }
    package var count: Int { elements.count - start }
    package var first: Element? { isEmpty ? nil : elements[start] }

    package mutating func append(_ element: Element) {
        // Without this, the array would grow forever if the queue is never empty.
        if start > 32, start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        elements.append(element)
    }

    @discardableResult
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[start]
        start += 1
        if start == elements.count {
            // `removeAll` calls generic code, which costs as much as a dozen of these.
            while !elements.isEmpty { elements.removeLast() }
            start = 0
        }
        return first
    }

    /// Removes an element that is in the queue once.
    package mutating func remove(_ element: Element) {
        if let index = elements[start...].firstIndex(of: element) { elements.remove(at: index) }
        if isEmpty {
            elements.removeAll(keepingCapacity: true)
            start = 0
        }
    }
}
