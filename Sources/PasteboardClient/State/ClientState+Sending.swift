package import PasteboardWire

// Frames that this client sends on open streams: the items of a write, and the bytes of asks.
extension ClientState {
    /// Adds the next item of a write. The bytes of its kept representations follow; the last frame of each has the flag
    /// `last`.
    package mutating func add(_ item: Item, to stream: UInt64) throws(Failure) {
        guard isWriting(stream), let index = streams.index(of: stream) else { return }
        if mayOvertake(index) {
            try connectionFrames.appendChecked(item, stream: stream)
        } else {
            try streamFrames.appendChecked(item, stream: stream)
        }
    }

    /// Whether the frames of a write may go ahead of the bytes of other streams, which may take minutes on a slow line:
    /// no bytes of its own are before them.
    private func mayOvertake(_ index: Int) -> Bool {
        if case .write = streams.values[index].phase { !streams.values[index].hasSentBytes } else { false }
    }

    /// Makes the written items visible, or adds them to the session. The broker answers with `committed`.
    package mutating func commit(_ stream: UInt64, itemCount: Int) {
        guard failure == nil, let index = streams.index(of: stream) else { return }
        let overtakes = mayOvertake(index)
        switch streams.values[index].phase {
        case .write(let isAddition): streams.values[index].phase = isAddition ? .adding : .committing
        case .drag(let isAddition): streams.values[index].phase = isAddition ? .adding : .offering
        default: return
        }
        var commit = Commit()
        commit.itemCount = UInt32(clamping: itemCount)
        if overtakes {
            connectionFrames.append(commit, stream: stream)
        } else {
            streamFrames.append(commit, stream: stream)
        }
    }

    /// Sends an empty frame on a write whose kept bytes take long, so that the broker waits for them.
    package mutating func keepAlive(_ stream: UInt64) {
        guard isSendingBytes(stream) else { return }
        streamFrames.append(header: FrameHeader(.data, stream: stream, length: 0))
    }

    /// Whether bytes may be sent on a write, which then counts as one that has sent some.
    private mutating func isSendingBytes(_ stream: UInt64) -> Bool {
        guard isWriting(stream), let index = streams.index(of: stream) else { return false }
        streams.values[index].hasSentBytes = true
        return true
    }

    private func isWriting(_ stream: UInt64) -> Bool {
        guard failure == nil, let index = streams.index(of: stream) else { return false }
        switch streams.values[index].phase {
        case .write, .drag: return true
        default: return false
        }
    }

    // MARK: Bytes

    /// The number of bytes of an ask that may be sent now; nil if the ask has ended.
    package func sendable(_ ask: UInt64) -> Int? {
        asks.index(of: ask).map { asks.values[$0].sendable }
    }

    /// The header of the next data frame of a write or an ask. The frame carries as many of `count` bytes as it may
    /// now, which are to be sent directly after it (and after `streamFrames`).
    ///
    /// - Parameter last: whether the sequence ends with these `count` bytes, which also ends an ask.
    /// - Returns: nil if nothing may be sent because the stream has ended or has no credit.
    @inline(__always)
    package mutating func dataHeader(on stream: UInt64, count: Int, last: Bool) -> FrameHeader? {
        guard failure == nil else { return nil }
        guard let index = asks.index(of: stream) else { return writeHeader(on: stream, count: count, last: last) }
        let length = min(count, asks.values[index].sendable, dataLimit(count))
        let isLast = last && length == count
        guard length > 0 || isLast else { return nil }
        asks.values[index].sent &+= UInt64(truncatingIfNeeded: length)
        if isLast { asks.remove(at: index) }
        return FrameHeader(.data, stream: stream, length: length, flags: isLast ? .last : .none)
    }

    @inline(never)
    private mutating func writeHeader(on stream: UInt64, count: Int, last: Bool) -> FrameHeader? {
        guard count > 0 || last, isSendingBytes(stream) else { return nil }
        let length = min(count, dataLimit(count))
        return FrameHeader(.data, stream: stream, length: length, flags: last && length == count ? .last : .none)
    }

    /// The maximum length of the next frame if `count` bytes remain. It is smaller while several streams share the
    /// connection.
    @inline(__always)
    private mutating func dataLimit(_ count: Int) -> Int {
        guard count > WireLimits.sharedDataLength else { return count }
        return isLink || asks.count + movingCount > 1 ? WireLimits.sharedDataLength : WireLimits.dataLength
    }

    // MARK: Descriptors

    /// Answers an ask with a descriptor, which the driver sends with the frame that is in `streamFrames` after this
    /// call.
    ///
    /// - Parameter path: the path of the file, if it is the source's own and others may open it there. It is sent only
    ///   if the ask welcomes it.
    /// - Returns: false if the ask has ended, has sent bytes, or accepts no descriptor; then nothing is sent.
    package mutating func pass(
        _ ask: UInt64,
        byteCount: UInt64,
        path: String? = nil,
        fileName: String? = nil
    ) -> Bool {
        guard failure == nil, passesDescriptors, let index = asks.index(of: ask),
            asks.values[index].descriptorWelcome, asks.values[index].sent == 0
        else { return false }
        var answer = Answer()
        answer.byteCount = byteCount
        answer.suggestedName = fileName
        if let path, asks.values[index].inPlaceWelcome, path.utf8.count <= WireLimits.path { answer.path = path }
        streamFrames.append(answer, stream: ask, flags: .last, descriptorCount: 1)
        asks.remove(at: index)
        return true
    }

    /// Passes the next kept representation of a write as a descriptor, which the driver sends with the frame that is in
    /// `streamFrames` after this call.
    ///
    /// - Returns: false if the write has ended or the broker accepts no descriptors; then nothing is sent.
    package mutating func passKept(_ stream: UInt64) -> Bool {
        guard passesDescriptors, isSendingBytes(stream) else { return false }
        streamFrames.append(
            header: FrameHeader(.data, stream: stream, length: 0, flags: .last, descriptorCount: 1)
        )
        return true
    }

    // MARK: Asks

    /// Announces the size of an ask's bytes, if it is known, and their form. May be called once, before the first byte.
    ///
    /// - Parameters:
    ///   - content: 1 if the bytes are a tar archive of a folder, which is the representation.
    ///   - fileName: the name of the file or folder that is sent.
    package mutating func answer(
        _ ask: UInt64,
        byteCount: UInt64?,
        content: ContentForm? = nil,
        fileName: String? = nil
    ) {
        guard let index = asks.index(of: ask), asks.values[index].sent == 0 else { return }
        var answer = Answer()
        answer.byteCount = byteCount
        answer.content = content
        answer.suggestedName = fileName
        streamFrames.append(answer, stream: ask)
    }

    /// Reports progress of a slow ask, so that the broker waits longer.
    package mutating func progress(_ ask: UInt64, completed: UInt64?, total: UInt64?) {
        guard asks.index(of: ask) != nil else { return }
        var progress = Progress()
        progress.completed = completed
        progress.total = total
        streamFrames.append(progress, stream: ask)
    }

    /// Ends an ask whose bytes have all been sent.
    package mutating func end(_ ask: UInt64) {
        guard let index = asks.index(of: ask) else { return }
        var end = End()
        end.byteCount = asks.values[index].sent
        streamFrames.append(end, stream: ask)
        asks.remove(at: index)
    }

    /// Ends an ask with a failure, whose text is sent to the destination: it must name files without their directories.
    package mutating func fail(_ ask: UInt64, _ failure: Failure) {
        guard let index = asks.index(of: ask) else { return }
        streamFrames.append(failure, stream: ask)
        asks.remove(at: index)
    }
}
