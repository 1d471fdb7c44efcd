import PasteboardWire

/// The reasons why the broker ends a load. Their texts are in `LoadFailure+Text.swift`.
enum LoadFailure {
    // The source's fault.
    case sourceFailed(Failure)
    /// A link passes on the error of another broker.
    case atLinkedBroker(Failure)
    case malformed(FrameKind, Failure)
    case malformedAnswer(Failure)
    case newerProtocol
    case beyondCredit(sent: UInt64, granted: UInt64)
    case beyondDeclared(UInt64)
    case truncated(received: UInt64, declared: UInt64)
    case miscounted(received: UInt64, declared: UInt64)
    case sourceGone(received: UInt64, declared: UInt64?)
    /// The source was a link, by its label.
    case linkDown(String, received: UInt64)
    case unsizedDescriptor
    case unusableDescriptor(String)
    case shortDescriptor(byteCount: UInt64, declared: UInt64)

    // Time.
    case late(allowed: UInt64, received: UInt64)
    case sourceBusy(since: UInt64)
    case sourceSilent(since: UInt64)
    case sourceStalled(received: UInt64)
    case sourceSlow(received: UInt64)
    case destinationStalled

    // Limits.
    case tooLarge(byteCount: UInt64, maximum: UInt64)
    case moreThanMaximum(UInt64)
    case queueFull(count: Int)
    case descriptorRefused

    // The destination's and the broker's doing.
    case cancelled
    case destinationGone
    case unreadable(String)
    case unstorable(String)
}
