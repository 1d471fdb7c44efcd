import PasteboardClient
import PasteboardKit
import TestSupport
import Testing

/// Links that form a ring or a star: nothing circulates, and every machine ends with the newest contents.
@Suite(.inProcess)
struct LinkLoopTests {
    private func expect(_ text: String?, at machines: [RunningLink.Machine]) async throws {
        for machine in machines {
            try await eventually("\(text ?? "nothing") is on the pasteboard of \(machine.name)") {
                try await machine.broker.has(text)
            }
        }
    }

    @Test("In a ring of three, contents arrive everywhere, do not circulate, and end with their source", .tags(.f100))
    func ring() async throws {
        try await LinkedMachines.with(3) { machines in
            var links = try (0..<3).map { try RunningLink(machines[$0], machines[($0 + 1) % 3]) }
            for round in 0..<6 {
                let machine = machines[round % 3].broker
                try await machine.pasteboard().write("\(round)")
                try await expect("\(round)", at: machines)
            }
            // The other way round the ring takes over from a link that ends.
            await links.removeFirst().end()
            try await expect("5", at: machines)
            links.append(try RunningLink(machines[0], machines[1]))
            let source = machines[0].broker.connect()
            try await Pasteboard(name: .general, connection: source).write([.text("promise")])
            try await expect("promise", at: machines)
            await source.close()
            try await expect(nil, at: machines)
            try await machines[2].broker.pasteboard().write("last")
            try await expect("last", at: machines)
            try await machines[1].broker.pasteboard().clear()
            try await expect(nil, at: machines)
            for link in links {
                await link.end()
                #expect(link.reports.isEmpty, "\(link.reports)")
            }
        }
    }

    @Test("In a star of ten, a storm of changes ends with the newest contents on every machine", .tags(.f100))
    func star() async throws {
        try await LinkedMachines.with(11) { machines in
            let links = try machines.dropFirst().map { try RunningLink($0, machines[0]) }
            try await withThrowingTaskGroup { group in
                for machine in machines.dropFirst() {
                    group.addTask {
                        for change in 0..<10 { try await machine.broker.pasteboard().write("\(machine.name)\(change)") }
                    }
                }
                try await group.waitForAll()
            }
            try await eventually("all machines have the same contents") {
                var texts: Set<String?> = []
                for machine in machines { texts.insert(try? await machine.broker.pasteboard().string) }
                return texts.count == 1 && texts.first??.hasSuffix("9") == true
            }
            try await machines[7].broker.pasteboard().write("last")
            try await expect("last", at: machines)
            for link in links {
                await link.end()
                #expect(link.reports.isEmpty, "\(link.reports)")
            }
        }
    }
}
