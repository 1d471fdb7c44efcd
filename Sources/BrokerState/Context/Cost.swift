/// The cost of inputs in units of about 0.1 µs, counted by the code that does the work.
///
/// The driver reads the sum in ``BrokerContext/cost``, to divide its time fairly among processes. Units are counted and
/// not measured, so that a test can assert them, and so that no process is charged for time in which it did not run.
package enum Cost {
    static let unitsPerMicrosecond = 10

    /// A new connection, with hello.
    package static let connection = 100
    /// The end of a connection, besides its loads and streams.
    static let disconnection = 20
    /// The end of one load or stream with its connection.
    static let end = 10

    /// One read from a socket.
    static let read = 10
    /// Any frame.
    static let frame = 2
    /// The bytes of a load that cost one unit.
    static let bytes = 512
    /// The bytes of a control frame that cost one unit to decode or to encode.
    static let metadata = 64

    /// A request, besides its names.
    static let request = 15
    /// One entry of an accept list.
    static let accept = 10
    /// An item of a write, or an entry of a list or a status, besides its names.
    static let entry = 10
    /// One name in an item or an accept list.
    static let name = 3
    /// An item whose representations are checked for their visibility.
    static let checkedItem = 3
    /// The number of loads that can be examined for one unit.
    static let walkedLoads = 8
    /// The number of watches that can be examined for one unit.
    static let walkedWatches = 16
    /// The number of boards that can be examined for one unit.
    static let walkedBoards = 4
}
