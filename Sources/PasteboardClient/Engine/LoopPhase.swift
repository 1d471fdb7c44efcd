/// The phase of a loop, which decides whether the loop has to be woken for a change.
///
/// The loop calls `look`, does its work, and calls `mayPoll` before it polls. Code that adds work calls `change`
/// afterwards. All calls are made under one lock.
package enum LoopPhase: Equatable, Hashable, Sendable {
    /// - isChanged: whether something was added since the loop has begun to look.
    case looking(isChanged: Bool)
    case polling

    /// - Returns: whether the loop has to be woken.
    package mutating func change() -> Bool {
        let wasPolling = self == .polling
        self = .looking(isChanged: true)
        return wasPolling
    }

    package mutating func look() { self = .looking(isChanged: false) }

    /// - Returns: false if something was added that the loop has not looked at, so that it must not wait.
    package mutating func mayPoll() -> Bool {
        guard self == .looking(isChanged: false) else { return false }
        self = .polling
        return true
    }
}
