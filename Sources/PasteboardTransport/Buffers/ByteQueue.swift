import CPasteboardSystem
import PasteboardWire

/// A queue of the bytes of whole frames, which records whether its front is inside a frame.
///
/// Positions count all bytes since the queue was created, so they stay valid when the memory moves.
struct ByteQueue: ~Copyable {
    /// Larger memory is released as soon as the queue is empty.
    static let keptCapacity = 64 * 1024

    // Owned by this value alone; `head..<tail` is initialized.
    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    private var head = 0
    private var tail = 0
    /// The number of bytes in the queue before it was last empty, as an estimate for the next time. It decreases by
    /// half at most, because a few bytes often follow the last of many.
    private var usual = 0

    /// Whether the memory of bytes that have left the queue is overwritten.
    var wipes = false
    /// The number of bytes that have been removed since the queue was created.
    private(set) var position: UInt64 = 0
    /// The end of the frame that has been removed in part; `position` if there is none.
    private(set) var frameEnd: UInt64 = 0

    init() {}

    deinit {
        if wipes, let storage { pbs_wipe(storage + head, tail - head) }
        Self.free(storage, capacity)
    }

    var count: Int { tail - head }
    var isEmpty: Bool { tail == head }
    var isInsideFrame: Bool { frameEnd > position }
    /// The position after the last byte.
    var end: UInt64 { position + UInt64(count) }
    /// The number of bytes that remain of the frame that has been removed in part.
    var restOfFrame: Int { Int(frameEnd - position) }

    /// The address of the byte that is `offset` bytes after the front. It is valid until the queue changes.
    func pointer(at offset: Int = 0) -> UnsafeRawPointer? {
        storage.map { UnsafeRawPointer($0 + head + offset) }
    }

    /// Returns memory at the end, which `commit` makes part of the queue.
    mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
        if let storage, capacity - tail >= extra { return storage + tail }
        return makeRoom(extra)
    }

    /// Overwrites memory that was reserved and does not become part of the queue.
    mutating func wipeReserved(_ count: Int) {
        if wipes, let storage { pbs_wipe(storage + tail, min(count, capacity - tail)) }
    }

    mutating func commit(_ added: Int) {
        tail += added
    }

    mutating func append(_ bytes: RawSpan) {
        let room = reserve(bytes.byteCount)
        // The room holds at least as many bytes as the span has.
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: room, count: $0.count).copyMemory(from: $0) }
        commit(bytes.byteCount)
    }

    /// The length of the whole frame that begins `offset` after the front.
    func frameLength(at offset: Int = 0) -> Int {
        guard offset < count, let start = pointer(at: offset) else { preconditionFailure("the queue ends in a frame") }
        return 16 + Int(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
    }

    /// Calls `change` with the payload of each whole frame of a kind that is still to begin.
    func change(_ kind: FrameKind, _ change: (inout MutableSpan<UInt8>) -> Void) {
        guard let storage else { return }
        var offset = restOfFrame
        while offset < count {
            // The queue consists of whole frames, except for the start of the first one.
            let length = frameLength(at: offset)
            let frame = UnsafeMutableBufferPointer(
                start: (storage + head + offset).assumingMemoryBound(to: UInt8.self),
                count: length
            )
            if frame[4] == kind.rawValue {
                var payload = frame.extracting(FrameHeader.byteCount...).mutableSpan
                change(&payload)
            }
            offset += length
        }
    }

    /// Changes the count in the header of the first frame, none of whose bytes has been sent: it passes no descriptor.
    func announceNoDescriptor() {
        guard let storage, count >= FrameHeader.byteCount else { return }
        (storage + head).storeBytes(of: 0, toByteOffset: 6, as: UInt8.self)
    }

    /// Takes `sent` bytes off the front.
    mutating func consume(_ sent: Int) {
        guard sent > 0 else { return }
        var boundary = restOfFrame
        while boundary < sent { boundary += frameLength(at: boundary) }
        frameEnd = position + UInt64(boundary)
        position += UInt64(sent)
        if wipes, let storage { pbs_wipe(storage + head, sent) }
        head += sent
        if head == tail {
            usual = max(tail, usual / 2)
            head = 0
            tail = 0
        }
    }

    /// Keeps only the first `count` bytes, which must be in the queue.
    mutating func truncate(to count: Int) {
        if wipes, let storage { pbs_wipe(storage + head + count, self.count - count) }
        tail = head + count
    }

    /// Declares the contents of the queue to be the rest of a frame whose start was sent from other memory.
    mutating func beginInsideFrame() {
        frameEnd = end
    }

    /// Releases large memory. The queue must be empty.
    mutating func releaseStorage() {
        guard capacity > Self.keptCapacity else { return }
        Self.free(storage, capacity)
        storage = nil
        capacity = 0
    }

    private static func free(_ storage: UnsafeMutableRawPointer?, _ capacity: Int) {
        guard let storage else { return }
        if capacity == BlockPool.queues.blockSize { BlockPool.queues.give(storage) } else { storage.deallocate() }
    }

    /// Small memory grows fourfold, up to the size of a pooled block. Larger memory has at least the size that is
    /// needed.
    private static func allocate(atLeast count: Int, now capacity: Int) -> (UnsafeMutableRawPointer, Int) {
        if count <= keptCapacity {
            let size = min(max(4096, 4 * capacity, count), keptCapacity)
            return (.allocate(byteCount: size, alignment: 16), size)
        }
        if count <= BlockPool.queues.blockSize { return (BlockPool.queues.take(), BlockPool.queues.blockSize) }
        let size = max(2 * capacity, count)
        return (.allocate(byteCount: size, alignment: 16), size)
    }

    private mutating func makeRoom(_ extra: Int) -> UnsafeMutableRawPointer {
        let count = count
        // Bytes are moved to the front only if at least as many have been removed, so each byte is moved once on
        // average.
        if let storage, head >= count, capacity - count >= extra {
            storage.copyMemory(from: storage + head, byteCount: count)
            if wipes { pbs_wipe(storage + head, count) }
            head = 0
            tail = count
            return storage + count
        }
        let least = storage == nil ? max(extra, min(usual, BlockPool.queues.blockSize)) : count + extra
        let (replacement, larger) = Self.allocate(atLeast: least, now: capacity)
        if let storage {
            replacement.copyMemory(from: storage + head, byteCount: count)
            if wipes { pbs_wipe(storage + head, count) }
            Self.free(storage, capacity)
        }
        storage = replacement
        capacity = larger
        head = 0
        tail = count
        return replacement + count
    }
}
