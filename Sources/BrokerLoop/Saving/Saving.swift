import BrokerState
import PasteboardTransport

/// The places where contents outlive the broker, by the rules of `SavingRules`.
struct Saving: ~Copyable {
    /// The program that started the broker and watches it.
    var manager: ServiceManager?
    /// nil if the manager holds no contents for the next broker.
    var saver: ContentsSaver?
    /// Whether the manager has passed everything that an earlier broker has saved, or restored from the disk.
    var wasPassedAll = false
    /// nil if nothing is left on the disk.
    var snapshot: Snapshot?
    /// Whether the loop waits until the manager has room.
    var isAwaitingRoom = false
    /// Connections whose output waits until the manager has what was saved.
    var held: [PeerID] = []
    /// Whether something could not be saved since the last output.
    var hasFailed = false

    /// Whether the broker must not end yet, because the manager is to get something.
    var isBusy: Bool { mutating get { saver?.isWaiting == true } }
}
