import Glibc
package import PasteboardTransport
package import PasteboardWire

/// The other end of a connection, controlled by a test. It sends what the test orders and returns the frames that it
/// receives.
package final class ScriptedPeer: Sendable {
    package struct Frame: Sendable, Equatable {
        package let header: FrameHeader
        package let payload: [UInt8]

        package init(header: FrameHeader, payload: [UInt8]) {
            self.header = header
            self.payload = payload
        }

        package var kind: FrameKind? { header.kind }
        package var stream: UInt64 { header.stream }

        package func decoded<Message: WireMessage>(as _: Message.Type) throws -> Message {
            try Message(decoding: payload)
        }
    }

    /// The timeout in milliseconds after which a wait counts as failed.
    package static let watchdog = 300_000

    private let socket: Lock<DescriptorBox?>
    private let heard = Lock<[UInt8]>([])

    package init(_ socket: consuming OwnedDescriptor) {
        self.socket = Lock(DescriptorBox(socket))
    }

    // MARK: Sending

    package func send(_ message: some WireMessage, stream: UInt64, flags: FrameFlags = []) throws {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream, flags: flags)
        try write(encoder.bytes)
    }

    package func sendData(_ bytes: [UInt8], stream: UInt64, last: Bool = false) throws {
        var encoder = FrameMemory()
        encoder.appendData(bytes, stream: stream, flags: last ? .last : [])
        try write(encoder.bytes)
    }

    package func write(_ bytes: [UInt8]) throws {
        guard let socket = self.socket.withLock({ $0 }) else { return }
        try System.write(bytes.span, to: socket.raw, raisesSignal: false)
    }

    package func welcome(maximumStreams: UInt32 = 128) throws {
        try send(Welcome.standard(maximumStreams: maximumStreams), stream: 0)
    }

    /// Offers to receive descriptors, but makes the system refuse to pass them. Returns false if the system cannot
    /// refuse them.
    package func welcomeRefusingDescriptors() throws -> Bool {
        var welcome = Welcome.standard()
        welcome.features = [Feature.descriptors.rawValue]
        let refuses = socket.withLock { Socket.setPassesDescriptors($0?.raw ?? -1, false) }
        try send(welcome, stream: 0)
        return refuses
    }

    /// Shuts down reading, so that further writes of the other end fail.
    package func stopReading() {
        socket.withLock { _ = shutdown($0?.raw ?? -1, CInt(SHUT_RD)) }
    }

    /// Ends the connection, also while another thread waits for a frame.
    package func shutDown() {
        socket.withLock { _ = shutdown($0?.raw ?? -1, CInt(SHUT_RDWR)) }
    }

    package func close() {
        socket.withLock { $0 = nil }
    }

    // MARK: Receiving

    /// Waits for the next frame. Throws at the end of the connection and after the timeout.
    package func next() throws -> Frame {
        while true {
            if let frame = heard.withLock({ Self.take(&$0) }) { return frame }
            guard let socket = self.socket.withLock({ $0 }) else { throw ScriptedPeerError.closed }
            let ready = try System.poll([PollInterest(socket.raw, .readable)], milliseconds: Self.watchdog)
            guard !ready[0].isEmpty else { throw ScriptedPeerError.nothingCame }
            let bytes = try System.read(socket.raw, upTo: 1 << 16)
            guard !bytes.isEmpty else { throw ScriptedPeerError.closed }
            heard.withLock { $0 += bytes }
        }
    }

    /// Skips to the next frame of this kind.
    package func next(_ kind: FrameKind) throws -> Frame {
        while true {
            let frame = try next()
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
