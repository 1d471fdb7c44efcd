import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// The connections of an exchange to the broker at a socket.
final class SocketPeers: ExchangePeers {
    private let path: String
    /// The time for each answer.
    private let milliseconds: Int
    private var sockets: [String: FrameSocket] = [:]

    init(path: String, milliseconds: Int) {
        self.path = path
        self.milliseconds = milliseconds
    }

    private var deadline: UInt64 { MonotonicClock.deadline(milliseconds: milliseconds) }

    private func socket(of peer: String) throws(ExchangeFault) -> FrameSocket {
        if let socket = sockets[peer] { return socket }
        do throws(SystemError) {
            let socket = FrameSocket(try Socket.connect(path: path, deadline: deadline))
            sockets[peer] = socket
            return socket
        } catch {
            throw ExchangeFault("cannot connect: \(error.reason)", isSilence: true)
        }
    }

    func send(_ bytes: [UInt8], passing passed: PassedDescriptor?, from peer: String) throws(ExchangeFault) {
        let descriptor = try passed.map(Self.descriptor)
        guard try socket(of: peer).send(bytes, passing: descriptor, deadline: deadline) else {
            throw ExchangeFault("the broker does not read", isSilence: true)
        }
    }

    func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
        do throws(ExchangeFault) {
            return try socket(of: peer).next(deadline: deadline)
        } catch {
            guard error.isSilence else { throw error }
            throw ExchangeFault("\(error.text) within \(milliseconds) ms", isSilence: true)
        }
    }

    func close(_ peer: String) {
        _ = sockets.removeValue(forKey: peer)?.end(deadline: deadline)
    }

    /// Ends all connections. Returns whether the broker ended them, too.
    @discardableResult
    func closeAll() -> Bool {
        let deadline = self.deadline
        let open = sockets.values
        sockets = [:]
        return open.reduce(true) { $1.end(deadline: deadline) && $0 }
    }

    private static func descriptor(_ passed: PassedDescriptor) throws(ExchangeFault) -> DescriptorBox {
        do throws(SystemError) {
            switch passed {
            // This program can be read everywhere; the link leads to it also after it was replaced.
            case .file: return DescriptorBox(try System.open("/proc/self/exe"))
            case .memory: return try MemoryFile().descriptor
            case .sealed:
                let file = try MemoryFile()
                try file.seal()
                return file.descriptor
            case .pipe: return DescriptorBox(try System.pipe().keepingFirst())
            }
        } catch {
            throw ExchangeFault("no descriptor could be opened to be passed: \(error.reason)")
        }
    }
}
