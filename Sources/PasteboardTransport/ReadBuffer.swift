import CPasteboardSystem
import Glibc
import PasteboardWire

/// The memory that the connections of one thread take turns to read into.
///
/// A connection owns no buffer. What its parser could not consume yet (part of a header or of a control frame) it keeps
/// as `carry`, which is empty and unallocated as a rule, and which stands before the new bytes of the next read:
///
///     switch try buffer.receive(from: socket, carry: &carry, descriptors: &descriptors) {
///     case .bytes:
///         let consumed = buffer.withBytes { parse($0) }
///         buffer.keep(unconsumedFrom: consumed, into: &carry)
///     …
package struct ReadBuffer: ~Copyable {
    /// A whole data frame: once a read ends at the end of one, so do those that follow it in a bulk transfer, and no
    /// frame is passed on in two parts.
    package static var standardReadSize: Int { FrameHeader.byteCount + WireLimits.dataLength }
    /// The most bytes that a connection may keep: a control frame with its header.
    package static var carryLimit: Int { 64 * 1024 + 16 }
    private static let keptCarry = 64

    // Owned by this value alone and read below `count` only. Not an array: nobody has to fill it with zeros, so pages
    // that no read has reached cost no memory.
    private let storage: UnsafeMutableRawPointer
    private let readSize: Int
    // Room for the numbers of one message's descriptors.
    private let numbers = UnsafeMutablePointer<CInt>.allocate(capacity: Int(PBS_RECEIVED_DESCRIPTORS))

    /// How many bytes are valid.
    package private(set) var count = 0

    /// `readSize`: the most bytes that one read takes.
    package init(readSize: Int = standardReadSize) {
        self.readSize = readSize
        storage = .allocate(byteCount: Self.carryLimit + readSize, alignment: 16)
    }

    deinit {
        storage.deallocate()
        numbers.deallocate()
    }

    /// Reads what has arrived, once, behind the connection's carried bytes.
    ///
    /// `descriptors` gets what was passed with these bytes, in order. `carry` is emptied when there are new bytes, else
    /// left as it is.
    ///
    /// - Parameters:
    ///   - waiting: waits for bytes as `Socket.letReceiveWait` has arranged, instead of not at all.
    ///   - takingDescriptors: else what is passed is dropped by the kernel, and never is one of this process.
    package mutating func receive(
        from socket: CInt,
        waiting: Bool = false,
        takingDescriptors: Bool = true,
        carry: inout [UInt8],
        descriptors: inout ReceivedDescriptors
    ) throws(SystemError) -> ReceiveOutcome {
        precondition(carry.count <= Self.carryLimit)
        count = 0
        var found: CInt = 0
        var truncated: CInt = 0
        let received = try System.callUnlessBlocked("recvmsg") {
            pbs_receive(
                socket,
                storage + carry.count,
                readSize,
                waiting ? 1 : 0,
                takingDescriptors ? numbers : nil,
                &found,
                &truncated
            )
        }
        for index in 0..<Int(found) {
            descriptors.append(OwnedDescriptor(adopting: numbers[index]))
        }
        if truncated != 0 { descriptors.appendDropped() }
        guard let received else { return .wouldBlock }
        guard received > 0 else { return .endOfFile }
        count = carry.count + received
        if !carry.isEmpty {
            carry.withUnsafeBytes { old in
                UnsafeMutableRawBufferPointer(start: storage, count: old.count).copyMemory(from: old)
            }
            // A part of a header comes again and again in a bulk transfer; memory for more is not kept.
            if carry.capacity <= Self.keptCarry { carry.removeAll(keepingCapacity: true) } else { carry = [] }
        }
        return .bytes(received)
    }

    /// Lends the valid bytes.
    @inline(__always)
    package borrowing func withBytes<Result, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = UnsafeBufferPointer(start: storage.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(bytes.span)
    }

    /// Stores the valid bytes from `offset` on with the connection, to be continued by its next read.
    package mutating func keep(unconsumedFrom offset: Int, into carry: inout [UInt8]) {
        precondition(offset >= 0 && offset <= count && count - offset <= Self.carryLimit)
        if offset < count {
            carry.append(contentsOf: UnsafeRawBufferPointer(start: storage + offset, count: count - offset))
        }
        count = 0
    }
}

package enum ReceiveOutcome: Equatable, Sendable {
    /// So many new bytes, at least one.
    case bytes(Int)
    case wouldBlock
    case endOfFile
}

/// The descriptors that have arrived on a connection and that no frame has claimed yet, in order of arrival.
///
/// They come with the first byte of a message, so perhaps before their frame is complete, but never without it: what is
/// left when all bytes are consumed was announced by no frame, and the peer is at fault.
package struct ReceivedDescriptors: Sendable {
    /// Of one frame: a descriptor, or nil for what the kernel dropped, because this process has no room for more.
    private var waiting: [DescriptorBox?] = []
    private let closer: DescriptorCloser?

    /// With a `closer` the descriptors are closed on that one's thread.
    package init(closer: DescriptorCloser? = nil) {
        self.closer = closer
    }

    package var isEmpty: Bool { waiting.isEmpty }
    package var count: Int { waiting.count }

    fileprivate mutating func append(_ descriptor: consuming OwnedDescriptor) {
        waiting.append(DescriptorBox(descriptor, closer: closer))
    }

    fileprivate mutating func appendDropped() {
        waiting.append(nil)
    }

    /// Takes the oldest, for a frame that announces one.
    package mutating func take() throws(MissingDescriptor) -> DescriptorBox {
        guard !waiting.isEmpty else { throw .notSent }
        guard let box = waiting.removeFirst() else { throw .dropped }
        return box
    }
}

/// Why a descriptor that a frame announces is not there.
package enum MissingDescriptor: Error, Equatable, Sendable {
    /// Its sender is at fault.
    case notSent
    /// This process has too many open.
    case dropped
}
