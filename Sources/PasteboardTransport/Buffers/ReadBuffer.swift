import CPasteboardSystem
import Glibc
import PasteboardWire

/// The memory into which all connections of one thread are read in turn.
///
/// A connection owns no buffer. It stores input that its parser cannot consume yet, a part of a header or of a control
/// frame, as `carry`. This is usually empty and unallocated, and precedes the new bytes of the next read:
///
///     switch try buffer.receive(from: socket, carry: &carry, descriptors: &descriptors) {
///     case .bytes:
///         let consumed = buffer.withBytes { parse($0) }
///         buffer.keep(unconsumedFrom: consumed, into: &carry)
///     …
package struct ReadBuffer: ~Copyable {
    /// The size of the largest data frame: if one read of a bulk transfer ends at the end of a frame, so do the
    /// following ones, and no frame is passed on in two parts.
    package static var standardReadSize: Int { FrameHeader.byteCount + WireLimits.dataLength }
    /// The maximum size of a carry: a control frame with its header.
    package static var carryLimit: Int { 64 * 1024 + 16 }
    private static let keptCarry = 64

    // Used by this value alone, except for lent bytes, and read below `count` only. Not an array, which would have to
    // be filled with zeros: pages that no read has reached cost no memory.
    private var memory: ReadMemory
    /// The start of `memory`, which is not looked up at every read.
    private var storage: UnsafeMutableRawPointer
    private let readSize: Int
    // Memory for the descriptors of one message.
    private let numbers = UnsafeMutablePointer<CInt>.allocate(capacity: Int(PBS_RECEIVED_DESCRIPTORS))

    /// The number of valid bytes.
    package private(set) var count = 0
    /// The end of the bytes that were valid since the memory was last overwritten.
    private var used = 0

    /// - Parameter readSize: the maximum number of bytes that one read takes.
    package init(readSize: Int = standardReadSize) {
        self.readSize = readSize
        memory = ReadMemory(size: Self.carryLimit + readSize)
        storage = memory.base
    }

    deinit {
        numbers.deallocate()
    }

    /// The memory of the next read, whose bytes can be lent. It is other memory than that of the last read if bytes of
    /// that were lent. All bytes must have been consumed.
    package mutating func memoryOfNextRead() -> ReadMemory {
        if memory.isLent {
            memory = ReadMemory(size: Self.carryLimit + readSize)
            storage = memory.base
            count = 0
        }
        return memory
    }

    /// Reads once from a socket, and places the bytes after the connection's carried bytes.
    ///
    /// - Parameters:
    ///   - takingDescriptors: if false, the kernel drops passed descriptors, and they never become this process's.
    ///   - carry: the connection's carried bytes; emptied if there are new bytes, otherwise unchanged.
    ///   - descriptors: receives the descriptors that were passed with the bytes, in order.
    package mutating func receive(
        from socket: CInt,
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
                takingDescriptors ? numbers : nil,
                CInt(PBS_RECEIVED_DESCRIPTORS),
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
        used = max(used, count)
        if !carry.isEmpty {
            carry.withUnsafeBytes { old in
                UnsafeMutableRawBufferPointer(start: storage, count: old.count).copyMemory(from: old)
            }
            // A bulk transfer carries a part of a header again and again. Memory for more is released.
            if carry.capacity <= Self.keptCarry { carry.removeAll(keepingCapacity: true) } else { carry = [] }
        }
        return .bytes(received)
    }

    /// Overwrites the bytes of earlier reads, because they were secret. All bytes must have been consumed.
    package mutating func wipe() {
        pbs_wipe(storage, used)
        (used, count) = (0, 0)
    }

    /// Calls the closure with the valid bytes.
    @inline(__always)
    package borrowing func withBytes<Result, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = UnsafeBufferPointer(start: storage.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(bytes.span)
    }

    /// Calls the closure with the valid bytes, which it may change.
    @inline(__always)
    package mutating func withMutableBytes<Result, Failure>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = UnsafeMutableBufferPointer(start: storage.assumingMemoryBound(to: UInt8.self), count: count)
        var span = bytes.mutableSpan
        return try body(&span)
    }

    /// Stores the valid bytes from `offset` on in the connection's carry, for its next read.
    package mutating func keep(unconsumedFrom offset: Int, into carry: inout [UInt8]) {
        precondition(offset >= 0 && offset <= count && count - offset <= Self.carryLimit)
        if offset < count {
            carry.append(contentsOf: UnsafeRawBufferPointer(start: storage + offset, count: count - offset))
        }
        count = 0
    }
}

package enum ReceiveOutcome: Equatable, Sendable {
    /// The number of new bytes, at least one.
    case bytes(Int)
    case wouldBlock
    case endOfFile
}

/// The descriptors that have arrived on a connection and that no frame has claimed yet, in order of arrival.
///
/// A descriptor arrives with the first byte of its message, possibly before its frame is complete, but never without
/// it. If one is left when all bytes have been consumed, no frame announces it, and the peer is at fault.
package struct ReceivedDescriptors: ~Copyable, Sendable {
    /// nil is a descriptor that the kernel dropped, because this process has too many open.
    @usableFromInline var waiting: [DescriptorBox?] = []
    private let closer: DescriptorCloser?

    /// - Parameter closer: closes the descriptors on its own thread.
    package init(closer: DescriptorCloser? = nil) {
        self.closer = closer
    }

    @inlinable package var isEmpty: Bool { waiting.isEmpty }
    @inlinable package var count: Int { waiting.count }

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

/// The reason why a descriptor that a frame announces is missing.
package enum MissingDescriptor: Error, Equatable, Sendable {
    /// The sender has not passed it.
    case notSent
    /// The kernel dropped it, because this process has too many open.
    case dropped
}

extension [UInt8] {
    /// Overwrites the elements, because they were secret, and removes them. No copy of the array may share them.
    package mutating func wipe() {
        withUnsafeMutableBytes { if let start = $0.baseAddress { pbs_wipe(start, $0.count) } }
        self = []
    }
}

extension RangeReplaceableCollection<UInt8> {
    /// Appends a copy of the bytes.
    // Inlinable, because otherwise the collection of another module would be copied element by element or after a cast.
    @inlinable @inline(__always)
    package mutating func append(copying bytes: Span<UInt8>) {
        // The span outlives the call, which copies at once.
        bytes.withUnsafeBufferPointer { self.append(contentsOf: $0) }
    }
}
