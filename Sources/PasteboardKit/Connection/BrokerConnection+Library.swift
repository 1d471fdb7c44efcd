import PasteboardClient
import PasteboardWire

// The connection as the library's requests use it.
extension BrokerConnection {
    /// The way in which the broker was lost for a request over this connection that has failed with `error`; `other` if
    /// it was not.
    func loss(of error: PasteboardError) -> Loss {
        guard [.brokerRestarted, .brokerStopped].contains(error.code) else { return .other }
        return failure?.loss ?? (error.code == .brokerStopped ? .stopped : .refused)
    }

    /// Whether the broker has a feature.
    func has(_ feature: Feature) -> Bool { welcome.features.contains(feature.rawValue) }

    /// The epoch of the broker.
    var epoch: UInt64? { welcome.epoch }

    /// Waits until all loads of a publication have ended and their bytes have been written to the socket, or until the
    /// connection ends, or until the deadline.
    func answersEnded(of promises: any StreamSink, by deadline: LoadDeadline? = nil) async {
        await answersEnded(of: promises, until: deadline?.end ?? .max)
    }
}
