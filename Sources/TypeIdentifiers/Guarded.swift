internal import Synchronization

#if !TSAN
/// A value that one thread at a time may use.
typealias Guarded = Mutex
#endif
