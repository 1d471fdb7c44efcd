import PasteboardClient
import PasteboardWire

// The connection as the library's requests use it.
extension BrokerConnection {
    /// The way in which the broker was lost for a request over this connection that has failed with `error`; `other` if
    /// it was not.
    private func loss(of error: PasteboardError) -> Loss {
        guard [.brokerRestarted, .brokerStopped].contains(error.code) else { return .other }
        return failure?.loss ?? (error.code == .brokerStopped ? .stopped : .refused)
    }

    /// The error of a request that is a part of a call, so that `Recovery` decides about it.
    ///
    /// - Parameter reached: the progress of the request if the error does not say it.
    func error(_ error: any Error, at reached: Recovery.Reached = .request, in call: Call) -> any Error {
        let late = Failure(.timeout, call.timedOut.message)
        switch error {
        case let error as RequestFailure where error.failure.code == .timeout && call.isOver:
            return RequestFailure(late, .silent, at: error.reached)
        case let error as PasteboardError where error.code == .timeout && call.isOver:
            return RequestFailure(late, .silent, at: reached)
        case let error as PasteboardError where loss(of: error) != .other:
            let failure = Failure(ErrorCode(rawValue: error.code.rawValue), error.message)
            return RequestFailure(failure, loss(of: error), at: reached)
        default: return error
        }
    }

    /// Whether the broker has a feature.
    func has(_ feature: Feature) -> Bool { welcome.features.contains(feature.rawValue) }

    /// The epoch of the broker.
    var epoch: UInt64? { welcome.epoch }
}
