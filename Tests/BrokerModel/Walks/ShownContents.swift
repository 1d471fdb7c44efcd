import BrokerState
import PasteboardWire

/// Contents of a board, as another program sees them.
struct ShownContents: Equatable, CustomStringConvertible {
    struct Part: Equatable {
        let type: String
        let provision: Provision?
        let byteCount: Int?
        /// The kept bytes; nil for a promise, or if a load would count.
        let bytes: [UInt8]?
    }

    let changeCount: UInt64?
    let epoch: UInt64?
    let items: [[Part]]

    /// Lists a board, and loads its kept bytes; nil if it is empty.
    init?(of board: String, at broker: StateHarness, to reader: PeerID) {
        let frames = broker.list(board, from: reader)
        guard let contents = frames.first(Contents.self), contents.handle != nil else { return nil }
        changeCount = contents.changeCount
        epoch = contents.epoch
        items = frames.all(Item.self).enumerated().map { index, item in
            item.representations.map { representation in
                let isKept = representation.provision == .kept
                var bytes: [UInt8]?
                if isKept, contents.terms?.maximumLoads == nil {
                    let load = broker.load(from: reader) {
                        $0.board = board
                        $0.item = UInt32(index)
                        $0.accepts = [Accept(representation.type)]
                    }
                    bytes = broker.take(reader).on(load).bytes
                }
                let byteCount = isKept ? representation.byteCount.map { Int($0) } : nil
                return Part(
                    type: representation.type,
                    provision: representation.provision,
                    byteCount: byteCount,
                    bytes: bytes
                )
            }
        }
    }

    init(changeCount: UInt64?, epoch: UInt64?, items: [[Part]]) {
        self.changeCount = changeCount
        self.epoch = epoch
        self.items = items
    }

    var description: String {
        let parts = items.map { parts in
            parts.map { part in
                let size = part.byteCount.map { "\($0) bytes" } ?? "no size"
                return switch part.provision {
                case .kept?: "\(part.type) with \(size): \(part.bytes ?? [])"
                case .promised?: "\(part.type) promised"
                default: "\(part.type) gone"
                }
            }
        }
        return "\(changeCount ?? 0) of \(epoch ?? 0): \(parts)"
    }
}

extension ShownContents? {
    var text: String { map { "\($0)" } ?? "nothing" }
}
