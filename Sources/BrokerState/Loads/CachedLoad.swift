/// One request to a source whose bytes are kept, and the loads that read them.
///
/// The broker is the source's only reader. It stores the bytes, and each load reads them from there at its own pace and
/// with its own credit, so that a slow reader does not delay the others and a late one misses nothing.
struct CachedLoad: Sendable {
    /// The request, which is a load whose receiver is the cache.
    let request: LoadID
    /// Loads that have joined; some of them may be over.
    var readers: [LoadID] = []
    /// The number of readers that are not over. With the last one the cached load ends.
    var openReaders = 0
    /// Whether the readers are in the list of those to wake, because bytes or their number have come.
    var isReady = false
}
