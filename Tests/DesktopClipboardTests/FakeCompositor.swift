import PasteboardClient
import PasteboardTransport
import PasteboardWire

@testable import DesktopClipboard

/// The compositor's side of a connection: the messages that data control needs, sent by a test in any order.
final class FakeCompositor: Sendable {
    private struct State {
        var decoder = WaylandDecoder()
        var descriptors: [DescriptorBox] = []
        var manager: UInt32 = 0
        var device: UInt32 = 0
    }

    let loop: Loop
    private let socket: DescriptorBox
    private let state = Lock(State())

    /// A clipboard that is connected to a compositor, both on a loop with a thread of its own.
    ///
    /// - Parameters:
    ///   - globals: the interfaces that it has, and their versions.
    ///   - body: the test. The connection ends after it.
    static func with<Value: Sendable>(
        _ globals: [(String, UInt32)] = [("wl_seat", 7), ("ext_data_control_manager_v1", 1)],
        _ body: @escaping @Sendable (FakeCompositor, WaylandClipboard) async throws -> Value
    ) async throws -> Value {
        let loop = try Loop()
        try loop.start(named: "test-loop", stackSize: 1 << 20)
        defer { loop.end() }
        let (near, far) = try Socket.pair().shared()
        let compositor = FakeCompositor(far, on: loop)
        async let greeted: Void = compositor.greet(globals)
        let clipboard = try await WaylandClipboard(over: System.duplicate(near.raw), on: loop)
        try await greeted
        return try await body(compositor, clipboard)
    }

    private init(_ socket: DescriptorBox, on loop: Loop) {
        (self.socket, self.loop) = (socket, loop)
    }

    func send(_ bytes: [UInt8], _ descriptors: [CInt] = []) async throws {
        var (rest, descriptors) = (bytes[...], descriptors)
        while !rest.isEmpty {
            if let count = try Socket.send(rest.span, descriptors, to: socket.raw) {
                (rest, descriptors) = (rest.dropFirst(count), [])
            } else {
                await loop.ready(PollInterest(socket.raw, .writable))
            }
        }
    }

    /// Sends an event.
    func send(_ object: UInt32, _ opcode: UInt16, _ body: (inout FieldWriter) -> Void = { _ in }) async throws {
        try await send(WaylandMessage.request(object, opcode, body))
    }

    /// The next request.
    func next() async throws -> WaylandMessage {
        while true {
            if let message = try state.withLock({ try $0.decoder.next() }) { return message }
            await loop.ready(PollInterest(socket.raw, .readable))
            try Task.checkCancellation()
            var descriptors: [DescriptorBox] = []
            let bytes = try Socket.receive(from: socket.raw, upTo: 1 << 16, &descriptors)
            guard bytes?.isEmpty != true else { throw Failure(.linkDown, "the client has closed the connection") }
            state.withLock { [descriptors] state in
                state.decoder.append(bytes ?? [])
                state.descriptors += descriptors
            }
        }
    }

    /// The next request to an object.
    func next(to object: UInt32, _ opcode: UInt16) async throws -> FieldReader {
        while true {
            let message = try await next()
            if message.object == object, message.opcode == opcode { return message.fields }
        }
    }

    func takeDescriptor() -> DescriptorBox? {
        state.withLock { $0.descriptors.isEmpty ? nil : $0.descriptors.removeFirst() }
    }

    private func greet(_ globals: [(String, UInt32)]) async throws {
        _ = try await next(to: 1, 1)
        var sync = try await next(to: 1, 0)
        for (index, (interface, version)) in globals.enumerated() {
            try await send(2, 0) {
                $0.append(UInt32(index))
                $0.append(string: interface)
                $0.append(version)
            }
        }
        let callback = try sync.uint32()
        try await send(callback, 0) { $0.append(UInt32(0)) }
    }

    /// The device, after the client has begun to run.
    func device() async throws -> UInt32 {
        var bind = try await next(to: 2, 0)
        try bind.skip(4)
        _ = try bind.string()
        try bind.skip(4)
        let manager = try bind.uint32()
        var request = try await next(to: manager, 1)
        let device = try request.uint32()
        state.withLock { ($0.manager, $0.device) = (manager, device) }
        return device
    }

    /// Offers names as a selection.
    func offer(_ names: [String], as id: UInt32, on device: UInt32, opcode: UInt16 = 1) async throws {
        try await send(device, 0) { $0.append(id) }
        for name in names { try await send(id, 0) { $0.append(string: name) } }
        try await send(device, opcode) { $0.append(id) }
    }
}
