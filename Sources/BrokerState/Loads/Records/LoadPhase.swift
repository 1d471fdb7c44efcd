/// The progress of a load. It may end in every phase: then it is removed, or delivers the bytes that have arrived.
enum LoadPhase: BitwiseCopyable {
    /// Its source has no free place. → asked; passing
    case queued
    /// The source has been asked, and no byte has arrived. → flowing, delivering
    case asked(Asked)
    /// Bytes have arrived. → delivering
    case flowing
    /// The descriptor of kept bytes waits for the destination's socket. → asked if the system refuses to pass it
    case passing
    /// Over for both sides. Bytes or a descriptor wait for the destination's socket and are charged until it takes
    /// them.
    case delivering(Rest)

    struct Asked: BitwiseCopyable {
        let at: UInt64
        /// Whether the destination has its answer, although no byte has arrived.
        var isAnswered = false
    }

    enum Rest: BitwiseCopyable {
        case bytes
        case descriptor
    }

    var isQueued: Bool { if case .queued = self { true } else { false } }
    var isAsked: Bool { if case .asked = self { true } else { false } }
    var isFlowing: Bool { if case .flowing = self { true } else { false } }
    var isPassing: Bool { if case .passing = self { true } else { false } }
    var holdsDescriptor: Bool { if case .delivering(.descriptor) = self { true } else { false } }
    var isDelivering: Bool { if case .delivering = self { true } else { false } }

    /// Whether the destination has no answer yet, and may be sent one.
    var awaitsAnswer: Bool { if case .asked(let asked) = self { !asked.isAnswered } else { false } }

    mutating func answered() {
        guard case .asked(var asked) = self else { return }
        asked.isAnswered = true
        self = .asked(asked)
    }

    /// Whether the load has one of the places at its source.
    var hasPlace: Bool { isAsked || isFlowing }
}
