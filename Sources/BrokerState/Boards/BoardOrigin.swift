import PasteboardWire

/// The place and time of the write or clear that produced the state of a board.
///
/// One rule orders the contents of linked brokers: a write or clear with an origin takes the place of older ones only.
/// The moment of a program's write or clear is later than all that its broker has seen, whatever the clock says. Links
/// carry it on unchanged, and so do bridges to a desktop. So each board only becomes newer, and of all brokers that are
/// linked, in rings too, the boards of one name end with the same contents.
struct BoardOrigin: Sendable {
    /// In milliseconds since 1970.
    let moment: UInt64
    /// The epochs of the brokers through which they came here, and the numbers of the displays, first the one of the
    /// write; empty if it was this broker.
    let path: [UInt64]

    init(moment: UInt64, path: [UInt64] = []) {
        (self.moment, self.path) = (moment, path)
    }

    /// The time by which a moment may be ahead of the wall clock, in milliseconds: a day. A later one would make all
    /// contents that are written until then seem older.
    private static let lead: UInt64 = 86_400_000

    /// The origin that a peer has sent.
    ///
    /// - Parameter newMoment: the moment of an origin that has none; nil if it needs one.
    init(_ origin: Origin, orFrom newMoment: UInt64?, at wallTime: UInt64) throws(Failure) {
        guard let moment = origin.milliseconds ?? newMoment, !origin.path.isEmpty else {
            throw Failure(.invalidArgument, "an origin needs a moment and a path")
        }
        guard origin.milliseconds ?? 0 <= wallTime.addingClamped(Self.lead) else {
            let text = "the contents are from the future by more than a day; set the clocks of both machines"
            throw Failure(.invalidArgument, text)
        }
        guard origin.path.count < WireLimits.originPath else {
            throw Failure(.limitExceeded, "the contents have come through \(origin.path.count) brokers already")
        }
        self.init(moment: moment, path: origin.path)
    }

    /// The origin of contents that an earlier broker saved. The epoch in which they were written stays the first one:
    /// at linked brokers they are the same contents.
    init(of saved: SavedContents) {
        // With room for two more brokers.
        var path = Array(saved.path.prefix(WireLimits.originPath - 3))
        if let epoch = saved.epoch, !path.contains(epoch) { path.append(epoch) }
        self.init(moment: saved.moment ?? 0, path: path)
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

    /// Throws unless a write or clear with an origin is newer than what the board has.
    func check(_ origin: BoardOrigin?, on name: String) throws(Failure) {
        guard let origin else { return }
        guard !origin.path.contains(epoch) else {
            throw Failure(.superseded, "the contents have already been at this broker")
        }
        guard let current = self.origin(of: name), !origin.isNewer(than: current, at: epoch) else { return }
        throw Failure(.superseded, "pasteboard \(name) has contents that are not older, or was cleared later")
    }
}
