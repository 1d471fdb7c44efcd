import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct ServiceManagerTests {
    @Test("The service manager receives messages with descriptors, in order, and the process that sent them")
    func notifies() async {
        await #expect(processExitsWith: .success) {
            guard ServiceManager() == nil else { exit(3) }
            try System.setEnvironment("NOTIFY_SOCKET", to: "/nonexistent/socket")
            guard ServiceManager() == nil else { exit(4) }
            let directory = try TemporaryDirectory()
            let socket = try NotificationSocket(path: directory["keeper"])
            try System.setEnvironment("NOTIFY_SOCKET", to: directory["keeper"])
            try System.setEnvironment("FDSTORE", to: "7")
            guard let manager = ServiceManager(), manager.capacity == 7 else { exit(5) }
            // Its children have another manager, or none.
            guard System.environment("NOTIFY_SOCKET") == nil, System.environment("FDSTORE") == nil else { exit(6) }
            let file = try MemoryFile()
            try file.append([1, 2, 3].span)
            guard case .sent = manager.send("READY=1"),
                case .sent = manager.send("FDSTORE=1\nFDNAME=a", [file.descriptor.raw])
            else { exit(7) }
            guard let ready = try socket.next(), ready["READY"] == "1", ready["FDNAME"] == nil,
                ready.sender == System.processID, ready.descriptors.isEmpty
            else { exit(8) }
            guard let stored = try socket.next(), stored["FDSTORE"] == "1", stored["FDNAME"] == "a",
                let descriptor = stored.descriptors.first, stored.descriptors.count == 1,
                try MemoryFile(sealing: descriptor)?.contents(limit: 3) == [1, 2, 3]
            else { exit(9) }
            guard try socket.next() == nil else { exit(10) }
            // To a String, the return and the end of the line are one character.
            guard case .sent = manager.send("FDNAME=a\r\nFDSTORE=1\nX\nEMPTY="), let odd = try socket.next(),
                odd["FDNAME"] == "a\r", odd["FDSTORE"] == "1", odd["X"] == nil, odd["EMPTY"] == ""
            else { exit(11) }
        }
    }

    @Test("A manager whose queue is full blocks nobody, and one that has ended is noticed")
    func fullOrGone() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            var socket: NotificationSocket? = try NotificationSocket(path: directory["keeper"])
            try System.setEnvironment("NOTIFY_SOCKET", to: directory["keeper"])
            guard let manager = ServiceManager(), manager.capacity == 0 else { exit(3) }
            var sent = 0
            while case .sent = manager.send("X=1") { sent += 1 }
            guard sent > 0, case .full = manager.send("X=1"), try socket?.next() != nil,
                case .sent = manager.send("X=1")
            else { exit(4) }
            socket = nil
            guard case .gone = manager.send("X=1") else { exit(5) }
        }
    }

    @Test("Variables that are meant for another process are ignored")
    func others() async {
        await #expect(processExitsWith: .success) {
            try System.setEnvironment("LISTEN_FDS", to: "2")
            try System.setEnvironment("LISTEN_FDNAMES", to: "a:b")
            try System.setEnvironment("LISTEN_PID", to: "\(System.processID + 1)")
            try System.setEnvironment(ServiceManager.keeperVariable, to: "\(System.processID)")
            guard !ServiceManager.isPresent, ServiceManager.keeper == nil,
                try ServiceManager.passedDescriptors().isEmpty
            else { exit(3) }
            try System.setEnvironment(ServiceManager.keeperVariable, to: "\(getppid())")
            guard ServiceManager.isPresent, ServiceManager.keeper == getppid() else { exit(4) }
        }
    }
}
