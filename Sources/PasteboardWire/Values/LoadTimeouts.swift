/// The default timeouts of a load, in milliseconds.
///
/// The broker applies them to loads between processes, and the library to loads within one process: a handler has the
/// same time for both.
package enum LoadTimeouts {
    /// The time from asking a source to its first byte or report of progress, unless the representation sets another.
    package static let firstByte: UInt64 = 30_000
    /// The time between two bytes of a source that has begun.
    package static let progress: UInt64 = 10_000
    /// The longest time for which reports of progress without bytes extend a load.
    package static let keepAlive: UInt64 = 600_000
}
