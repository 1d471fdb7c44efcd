/// Bytes that are being kept: a source was asked for them once, and every load that wants them meanwhile has joined.
///
/// The broker is the source's only reader. What comes is stored, and each joined load reads it from there with a cursor
/// and credit of its own, so that a slow one does not hold up the others and a late one misses nothing.
struct Fill: Sendable {
    /// The ask, which is a route without a destination.
    let route: RouteID
    /// Loads that have joined; some may be over.
    var joined: [RouteID] = []
    /// How many of them are not. With the last one the fill ends.
    var loads = 0
    /// Whether its loads are to be woken, because bytes or their number have come.
    var isReady = false
}
