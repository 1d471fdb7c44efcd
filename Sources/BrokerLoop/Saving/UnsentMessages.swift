import PasteboardTransport

/// The messages that are not sent to the service manager yet.
/// They are bounded even if the manager does not answer: removing a name that is not sent yet drops its message. So there is
/// at most one message for each saved descriptor, and one for each removal of a descriptor that was sent.
struct UnsentMessages {
    // In the order of sending. What is new comes first, so that contents are not removed before those that replace them.
    private var stores: [ServiceManager.Passed] = []
    private var removals: [String] = []
    private var states: [String] = []

    var count: Int { stores.count + removals.count + states.count }

    /// A message by its place in the order of sending.
    subscript(index: Int) -> (text: String, descriptor: DescriptorBox?) {
        if index < stores.count {
            return ("FDSTORE=1\nFDNAME=\(stores[index].name)", stores[index].descriptor)
        }
        let index = index - stores.count
        if index < removals.count { return ("FDSTOREREMOVE=1\nFDNAME=\(removals[index])", nil) }
        return (states[index - removals.count], nil)
    }

    mutating func store(_ descriptor: DescriptorBox, as name: String) {
        stores.append(ServiceManager.Passed(name: name, descriptor: descriptor))
    }

    /// - Returns: the descriptor of that name, if it was not sent yet.
    mutating func remove(_ name: String) -> DescriptorBox? {
        if let unsent = stores.lastIndex(where: { $0.name == name }) { return stores.remove(at: unsent).descriptor }
        removals.append(name)
        return nil
    }

    /// - Returns: whether the removal was not sent yet.
    mutating func cancelRemoval(of name: String) -> Bool {
        guard let index = removals.firstIndex(of: name) else { return false }
        removals.remove(at: index)
        return true
    }

    mutating func add(state: String) {
        states.append(state)
    }

    /// Removes messages that were sent.
    mutating func removeFirst(_ count: Int) {
        let stored = min(count, stores.count)
        let removed = min(count - stored, removals.count)
        stores.removeFirst(stored)
        removals.removeFirst(removed)
        states.removeFirst(min(count - stored - removed, states.count))
    }
}
