/// A place that this process serves: the life lock, and the socket bound under it.
package struct ClaimedPlace: ~Copyable {
    package let place: SocketPlace
    package var listener: ListeningSocket
    private var lock: LifeLock?
    // Of the socket's file: what has replaced it at the path is not ours to remove.
    private let file: FileStatus?

    /// Prepares the directory, takes the lock, removes the socket of a dead broker, and listens. The socket, the lock file
    /// and the directory, if it was created here, are removed when this value is destroyed.
    ///
    /// - Parameter refusal: what a connection is told that cannot be served for want of descriptors.
    package init(claiming place: SocketPlace, refusal: [UInt8] = []) throws(PlaceError) {
        let lock = try LifeLock.take(preparing: place)
        try place.removeStaleSocket(under: lock)
        let listener = try asPlaceError { () throws(SystemError) in
            try ListeningSocket(path: place.socket, refusal: refusal)
        }
        let file = try asPlaceError { () throws(SystemError) in try System.status(at: place.socket) }
        self.place = place
        self.listener = listener
        self.file = file
        self.lock = consume lock
    }

    /// Whether the path still leads to this process's socket.
    package var isReachable: Bool {
        guard let file, let now = try? System.status(at: place.socket) else { return false }
        return now.isSameFile(as: file)
    }

    /// Removes the socket if it is still this process's, then releases the lock, so that a successor can start while
    /// this process finishes what it has begun.
    package mutating func withdraw() {
        guard lock != nil else { return }
        if isReachable { try? System.unlink(place.socket) }
        lock = nil
    }

    deinit {
        if lock != nil, isReachable { try? System.unlink(place.socket) }
    }
}
