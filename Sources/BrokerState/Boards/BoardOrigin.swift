import PasteboardWire

/// The place and time of the write or clear that produced the state of a board.
///
/// One rule orders the contents of linked brokers: a link's write or clear takes the place of older ones only. The
/// moment of a program's write or clear is later than all that its broker has seen, whatever the clock says, and links
/// carry it on unchanged. So each board only becomes newer, and of all brokers that are linked, in rings too, the
/// boards of one name end with the same contents.
struct BoardOrigin: Sendable {
    /// In milliseconds since 1970.
    let moment: UInt64
    /// The epochs of the brokers through which they came here, first the one of the write; empty if it was this one.
    let path: [UInt64]

    init(moment: UInt64, path: [UInt64] = []) {
        (self.moment, self.path) = (moment, path)
    }

    /// The origin that a link has sent.
    init(_ origin: Origin, from peer: AccessContext) throws(Failure) {
        guard peer.isLink else {
            throw Failure(.invalidArgument, "only a client with the role link may send an origin")
        }
        // Later moments of this broker must not overflow.
        guard let moment = origin.milliseconds, moment < 1 << 62, !origin.path.isEmpty else {
            throw Failure(.invalidArgument, "an origin needs a moment, below 2^62, and a path")
        }
        guard origin.path.count < WireLimits.originPath else {
            throw Failure(.limitExceeded, "the contents have come through \(origin.path.count) brokers already")
        }
        self.init(moment: moment, path: origin.path)
    }

    /// Whether contents of this origin are newer. Those of one moment are in the order of the epochs.
    func isNewer(than other: BoardOrigin, at epoch: UInt64) -> Bool {
        (moment, path.first ?? epoch) > (other.moment, other.path.first ?? epoch)
    }

    /// The origin that is sent to links, which pass it on unchanged.
    func message(at epoch: UInt64) -> Origin {
        var origin = Origin()
        origin.path = path + [epoch]
        origin.milliseconds = moment
        return origin
    }
}

extension Boards {
    /// The origin of a program's write or clear.
    func newOrigin(at wallTime: UInt64) -> BoardOrigin {
        BoardOrigin(moment: max(wallTime, lastMoment.addingClamped(1)))
    }

    /// Throws unless a link's write or clear is newer than what the board has.
    func check(_ origin: BoardOrigin?, on name: String) throws(Failure) {
        guard let origin else { return }
        guard !origin.path.contains(epoch) else {
            throw Failure(.superseded, "the contents have already been at this broker")
        }
        guard let current = self.origin(of: name), !origin.isNewer(than: current, at: epoch) else { return }
        throw Failure(.superseded, "pasteboard \(name) has contents that are not older, or was cleared later")
    }
}
