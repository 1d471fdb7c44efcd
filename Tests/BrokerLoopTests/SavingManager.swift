import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A service manager that a test plays, and the descriptors that it has for the next broker.
final class SavingManager {
    let directory: TemporaryDirectory
    let socket: NotificationSocket
    var saved: [(name: String, descriptor: DescriptorBox)] = []
    /// The receipts that were not given.
    var receipts: [DescriptorBox] = []

    init() throws {
        directory = try TemporaryDirectory()
        socket = try NotificationSocket(path: directory["manager"])
    }

    /// Takes the messages that have arrived.
    func take() throws {
        while let message = try socket.next() {
            if message["BARRIER"] == "1" { receipts += message.descriptors }
            guard let name = message["FDNAME"] else { continue }
            if message["FDSTORE"] == "1", let descriptor = message.descriptors.first {
                #expect(message.descriptors.count == 1 && !saved.contains { $0.name == name })
                let file = try System.status(of: descriptor.raw)
                // As systemd does: it has a file once.
                if try !saved.contains(where: { try System.status(of: $0.descriptor.raw).isSameFile(as: file) }) {
                    saved.append((name, descriptor))
                }
            }
            if message["FDSTOREREMOVE"] == "1" {
                #expect(saved.contains { $0.name == name })
                saved.removeAll { $0.name == name }
                // If the broker were killed here, its successor would find a description without its bytes.
                #expect(try described().allSatisfy { !$0.keptNames.contains(name) })
            }
        }
    }

    /// The descriptions of contents.
    private func described() throws -> [SavedContents] {
        try saved.filter { $0.name.hasPrefix("p") }.compactMap { saved in
            try MemoryFile(sealed: saved.descriptor).map { try SavedContents(decoding: $0.contents(limit: 1 << 20)) }
        }
    }

    /// Gives all receipts. A byte precedes the end of each: a child that another test starts at this moment has a copy of
    /// the descriptor, which then delays the end.
    func giveReceipts() {
        let byte: [UInt8] = [0]
        for receipt in receipts { _ = System.writeIfReady(byte.span, to: receipt.raw) }
        receipts = []
    }

    func connected() throws -> ServiceManager {
        try #require(ServiceManager(at: socket.path, capacity: 100))
    }

    /// In any order, as systemd passes them.
    var passed: [ServiceManager.Passed] {
        saved.reversed().map { ServiceManager.Passed(name: $0.name, descriptor: $0.descriptor) }
    }
}
