import Glibc
package import PasteboardTransport
package import PasteboardWire

/// The other end of a connection, played by a test: it says what the test wants and shows what it heard.
package final class ScriptedPeer: Sendable {
    package struct Frame: Sendable, Equatable {
        package let header: FrameHeader
        package let payload: [UInt8]

        package init(header: FrameHeader, payload: [UInt8]) {
            self.header = header
            self.payload = payload
        }

        package var kind: FrameKind? { self.header.kind }
        package var stream: UInt64 { self.header.stream }

        package func decoded<Message: WireMessage>(as _: Message.Type) throws -> Message {
            try Message(decoding: self.payload)
        }
    }

    /// What ends a wait that should have ended otherwise.
    package static let watchdog = 30_000

    private let socket: Lock<DescriptorBox?>
    private let heard = Lock<[UInt8]>([])

    package init(_ socket: consuming OwnedDescriptor) {
        self.socket = Lock(DescriptorBox(socket))
    }

    // MARK: Speaking

    package func send(_ message: some WireMessage, stream: UInt64, flags: FrameFlags = []) throws {
        var encoder = FrameEncoder()
        encoder.append(message, stream: stream, flags: flags)
        try self.write(encoder.bytes)
    }

    package func sendData(_ bytes: [UInt8], stream: UInt64, last: Bool = false) throws {
        var encoder = FrameEncoder()
        encoder.appendData(bytes, stream: stream, flags: last ? .last : [])
        try self.write(encoder.bytes)
    }

    package func write(_ bytes: [UInt8]) throws {
        guard let socket = self.socket.withLock({ $0 }) else { return }
        try System.write(bytes.span, to: socket.raw)
    }

    package func welcome(maximumStreams: UInt32 = 128) throws {
        try self.send(Welcome.standard(maximumStreams: maximumStreams), stream: 0)
    }

    /// Welcomes descriptors, which the system will not pass to it. False where it cannot refuse them.
    package func welcomeRefusingDescriptors() throws -> Bool {
        var welcome = Welcome.standard()
        welcome.features = [Feature.descriptors.rawValue]
        let refuses = self.socket.withLock { Socket.setPassesDescriptors($0?.raw ?? -1, false) }
        try self.send(welcome, stream: 0)
        return refuses
    }

    /// What the other end sends from now on is an error there.
    package func stopReading() {
        self.socket.withLock { _ = shutdown($0?.raw ?? -1, CInt(SHUT_RD)) }
    }

    package func close() {
        self.socket.withLock { $0 = nil }
    }

    // MARK: Hearing

    /// Waits for the next frame; throws at the end of the connection and when nothing comes.
    package func next() throws -> Frame {
        while true {
            if let frame = self.heard.withLock({ Self.take(&$0) }) { return frame }
            guard let socket = self.socket.withLock({ $0 }) else { throw ScriptedPeerError.closed }
            let ready = try System.poll([PollInterest(socket.raw, .readable)], milliseconds: Self.watchdog)
            guard !ready[0].isEmpty else { throw ScriptedPeerError.nothingCame }
            let bytes = try System.read(socket.raw, upTo: 1 << 16)
            guard !bytes.isEmpty else { throw ScriptedPeerError.closed }
            self.heard.withLock { $0 += bytes }
        }
    }

    /// Skips to the next frame of this kind.
    package func next(_ kind: FrameKind) throws -> Frame {
        while true {
            let frame = try self.next()
            if frame.kind == kind { return frame }
        }
    }

    private static func take(_ bytes: inout [UInt8]) -> Frame? {
        guard let header = FrameHeader(bytes.span, at: 0) else { return nil }
        let end = FrameHeader.byteCount + Int(header.length)
        guard bytes.count >= end else { return nil }
        let frame = Frame(header: header, payload: Array(bytes[FrameHeader.byteCount..<end]))
        bytes.removeFirst(end)
        return frame
    }
}

package enum ScriptedPeerError: Error {
    case closed
    case nothingCame
}

extension Welcome {
    package static func standard(maximumStreams: UInt32 = 128) -> Welcome {
        var welcome = Welcome()
        welcome.version = UInt32(FrameHeader.version)
        welcome.epoch = 7
        welcome.maximumStreams = maximumStreams
        return welcome
    }
}
