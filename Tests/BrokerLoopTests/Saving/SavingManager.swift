import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// A service manager that a test plays, and the descriptors that it has for the next broker.
final class SavingManager {
    let directory: TemporaryDirectory
    let socket: NotificationSocket
    var saved: [(name: String, descriptor: DescriptorBox)] = []

    init() throws {
        directory = try TemporaryDirectory()
        socket = try NotificationSocket(path: directory["manager"])
    }

    /// Handles the messages that have arrived.
    func handleMessages() throws {
        while let message = try socket.next() {
            guard let name = message["FDNAME"] else { continue }
            if message["FDSTORE"] == "1", let descriptor = message.descriptors.first {
                #expect(message.descriptors.count == 1 && !names.contains(name))
                let file = try System.status(of: descriptor.raw)
                // As systemd does: it has a file once.
                if try !saved.contains(where: { try System.status(of: $0.descriptor.raw).isSameFile(as: file) }) {
                    saved.append((name, descriptor))
                }
            }
            if message["FDSTOREREMOVE"] == "1" {
                #expect(names.contains(name))
                saved.removeAll { $0.name == name }
                // If the broker were killed here, its successor would find a description without its bytes.
                #expect(try current().allSatisfy { !$0.keptNames.contains(name) })
            }
        }
    }

    /// The names of everything except the index.
    var names: [String] { saved.map(\.name).filter { $0 != SavedIndex.name } }

    /// The descriptions that a successor would restore.
    private func current() throws -> [SavedContents] {
        let index = try #require(saved.first { $0.name == SavedIndex.name })
        let places = try SavedIndex.adopted(index.descriptor).places
        return try saved.compactMap { saved in
            guard ContentsSaver.isDescription(saved.name), places[ContentsSaver.number(saved.name) ?? 0] != nil else {
                return nil
            }
            return try MemoryFile(sealed: saved.descriptor).map {
                try SavedContents(decoding: $0.contents(limit: 1 << 20))
            }
        }
    }

    /// A manager with what this one would have for the next broker if this one died now.
    func afterCrash() throws -> SavingManager {
        let manager = try SavingManager()
        for (name, descriptor) in saved {
            guard name == SavedIndex.name else {
                manager.saved.append((name, descriptor))
                continue
            }
            // Copied, because the broker continues to change its index.
            let copy = try MemoryFile()
            let bytes = try MemoryFile(changing: descriptor).contents(limit: 1 << 20)
            try copy.append(bytes.span)
            manager.saved.append((name, copy.descriptor))
        }
        return manager
    }

    func connected() throws -> ServiceManager {
        try #require(ServiceManager(at: directory["manager"], capacity: 100))
    }

    /// In any order, as systemd passes them.
    var passed: [ServiceManager.Passed] {
        saved.reversed().map { ServiceManager.Passed(name: $0.name, descriptor: $0.descriptor) }
    }
}
