import PasteboardWire

extension LoadFailure {
    /// The error that the destination is sent.
    ///
    /// - Parameter source: the name of the source, as `source "x" (pid 812)`.
    func failure(from source: String, _ context: borrowing BrokerContext) -> Failure {
        switch self {
        case .sourceFailed(let sent):
            var failure = sent.printable
            failure.text = "\(source) failed: \(failure.text)"
            if failure.code != .tooLarge { failure.code = .sourceFailed }
            return failure
        case .atLinkedBroker(let failure): return failure.printable
        case .malformed(let kind, let failure):
            return Failure(.sourceFailed, "\(source) sent a malformed \(kind): \(failure.text)")
        case .malformedAnswer(let failure):
            return Failure(.sourceFailed, "\(source) sent a malformed answer: \(failure.text)")
        case .newerProtocol:
            return Failure(.sourceFailed, "\(source) uses a newer protocol than this broker")
        case .beyondCredit(let sent, let granted):
            let text = Self.creditText(sent: sent, granted: granted)
            return Failure(.sourceFailed, "\(source) violated the protocol: \(text)")
        case .beyondDeclared(let declared):
            let text = "\(source) declared \(declared) bytes but sent more; do not use the received bytes"
            return Failure(.sourceFailed, text)
        case .truncated(let received, let declared):
            let text = "\(source) ended after \(received) of the \(declared) bytes that it declared"
            return Failure(.sourceTruncated, text)
        case .miscounted(let received, let declared):
            return Failure(.sourceTruncated, "\(source) reported \(declared) bytes at the end but sent \(received)")
        case .sourceGone(let received, let declared):
            if let declared, declared == received, declared > 0 {
                let text = "\(source) disconnected after \(declared) bytes, without confirming that they are complete"
                return Failure(.sourceTruncated, text)
            }
            let progress = received == 0 ? "before it sent a byte" : "after \(received) bytes"
            return Failure(.sourceGone, "\(source) disconnected \(progress)")
        case .linkDown(let link, let received):
            let progress = received == 0 ? "no byte" : "\(received) bytes"
            let text = "the \(link.isEmpty ? "link" : link) has ended: \(progress) of the load had arrived"
            return Failure(.linkDown, text)
        case .unsizedDescriptor:
            return Failure(.sourceFailed, "\(source) passed a descriptor without declaring its size")
        case .unusableDescriptor(let what):
            let text = "\(source) passed \(what); a load requires a file that is open for reading only"
            return Failure(.sourceFailed, text)
        case .shortDescriptor(let byteCount, let declared):
            return Failure(.sourceTruncated, "\(source) declared \(declared) bytes but passed \(byteCount)")
        case .late, .sourceBusy, .sourceSilent, .sourceStalled, .sourceSlow, .destinationStalled:
            return timeFailure(from: source, context)
        case .tooLarge(let byteCount, let maximum):
            return .tooLarge(byteCount, allowed: maximum)
        case .moreThanMaximum(let maximum):
            let text = "the representation has more than the \(maximum) bytes that this load allows"
            return Failure(.tooLarge, text)
        case .queueFull(let count):
            return Failure(.limitExceeded, "\(count) loads already wait for \(source) (limit waiting-per-source)")
        case .descriptorRefused:
            let text = "the file was not passed: too many descriptors of this user are in transfer; try again"
            return Failure(.limitExceeded, text)
        case .cancelled:
            return Failure(.cancelled, "the destination cancelled its load")
        case .destinationGone:
            return Failure(.destinationGone, "the destination has disconnected")
        case .unreadable(let reason):
            return Failure(.sourceFailed, "the broker cannot read the bytes that it keeps: \(reason)")
        case .unstorable(let reason):
            return Failure(.noSpace, "the broker cannot keep the bytes: \(reason)")
        }
    }

    private func timeFailure(from source: String, _ context: borrowing BrokerContext) -> Failure {
        let (now, progress) = (context.now, context.limits.progress)
        switch self {
        case .late(let allowed, let received):
            return Failure(.timeout, "the load did not end within \(allowed) ms; \(source) sent \(received) bytes")
        case .sourceBusy(let since):
            let text = "\(source) was busy with other loads for \(now - since) ms; try again later"
            return Failure(.sourceStalled, text)
        case .sourceSilent(let since):
            return Failure(.sourceStalled, "\(source) sent no byte within \(now - since) ms")
        case .sourceStalled(let received):
            let text = "\(source) stopped after \(received) bytes; it sent nothing more for \(progress) ms"
            return Failure(.sourceStalled, text)
        case .sourceSlow(let received):
            let text =
                "\(source) sent less than \(Turn.least) bytes within \(progress) ms while other loads "
                + "waited, \(received) bytes in all"
            return Failure(.sourceStalled, text)
        default:
            let text =
                "the destination read less than \(Turn.least) bytes within \(progress) ms while other loads waited for "
                + "the source"
            return Failure(.destinationStalled, text)
        }
    }

    static func creditText(sent: UInt64, granted: UInt64) -> String {
        "the source sent \(sent) bytes with credit for \(granted)"
    }
}

extension Failure {
    static func tooLarge(_ byteCount: UInt64, allowed maximum: UInt64) -> Failure {
        Failure(.tooLarge, "the representation has \(byteCount) bytes; this load allows \(maximum)")
    }
}
