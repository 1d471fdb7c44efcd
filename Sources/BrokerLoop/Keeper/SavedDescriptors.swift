import PasteboardTransport

/// The descriptors that a keeper holds for its broker, by name.
struct SavedDescriptors {
    /// The greatest number: their names have to fit one variable of the broker's environment.
    static let most = 16_000

    let capacity: Int
    private var descriptors: [String: DescriptorBox] = [:]

    /// - Parameter limit: the number of descriptors that this process may have. If it leaves fewer than 25, nothing is
    ///   saved: a broker keeps only what can be saved, and would keep less than without a keeper.
    init(limit: UInt64) {
        let left = min(Self.most, max(0, Int(clamping: limit) - 64))
        capacity = left < 25 ? 0 : left
    }

    var all: [ServiceManager.Passed] {
        descriptors.map { ServiceManager.Passed(name: $0.key, descriptor: $0.value) }
    }

    /// Follows a message of the broker.
    mutating func handle(_ message: NotificationSocket.Message) {
        guard let name = message["FDNAME"] else { return }
        if message["FDSTOREREMOVE"] == "1" { descriptors[name] = nil }
        if message["FDSTORE"] == "1", let descriptor = message.descriptors.first, descriptors.count < capacity {
            descriptors[name] = descriptor
        }
    }

    mutating func removeAll() {
        descriptors = [:]
    }
}
