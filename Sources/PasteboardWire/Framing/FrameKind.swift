/// What a frame is. The numbers are the protocol's own; `Protocol.md` repeats them and a test compares the two.
package enum FrameKind: UInt8, Sendable, CaseIterable {
    // The connection itself, stream 0.
    case hello = 1
    case welcome = 2

    // From a client: these open a stream, or go on with one that is being written.
    case write = 16
    case item = 17
    case commit = 18
    case load = 19
    case list = 20
    case clear = 21
    case status = 22
    case stop = 23

    // From a client, of drag sessions: the first two open a stream, the last two are a destination's.
    case drag = 24
    case destination = 25
    case begin = 26
    case move = 27
    case drop = 28
    case performed = 29
    case conclude = 30

    // From a client: opens a stream.
    case wait = 31

    // From the broker.
    case ask = 32
    case answer = 33
    case committed = 34
    case contents = 35
    case statusEntry = 36
    case registered = 37
    case session = 38
    case update = 39
    case perform = 40
    case dropped = 41
    case transferred = 42

    // Any stream, both ways.
    case data = 48
    case end = 49
    case error = 50
    case cancel = 51
    case credit = 52
    case progress = 53
    case enter = 54
    case exit = 55
    case proposal = 56

    /// The most payload bytes that a frame of this kind may announce, known here or not.
    package static func maximumLength(of rawKind: UInt8) -> Int {
        rawKind == FrameKind.data.rawValue ? WireLimits.dataLength : WireLimits.controlLength
    }

    package var maximumLength: Int { Self.maximumLength(of: self.rawValue) }
}

/// Which queue of a connection a frame waits in.
///
/// Connection-ordered frames go ahead of stream-ordered ones at frame boundaries, so that a cancel, a credit or
/// a list never waits behind megabytes of somebody's bytes. Within each class the order of processing is kept.
package enum FrameOrder: Sendable {
    case connection
    case stream
}
