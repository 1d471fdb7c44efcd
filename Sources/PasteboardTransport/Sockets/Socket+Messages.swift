import CPasteboardSystem
import Glibc

// Bytes and descriptors as arrays, for protocols whose messages are few.
extension Socket {
    /// Sends bytes, and descriptors with the first of them, as far as the socket takes them.
    ///
    /// - Returns: the number of bytes that were sent; nil if the socket is full, and no descriptor was sent.
    package static func send(
        _ bytes: Span<UInt8>,
        _ descriptors: [CInt] = [],
        to socket: CInt
    ) throws(SystemError) -> Int? {
        try System.callUnlessBlocked("send") {
            // The pointer is valid in the closure.
            bytes.withUnsafeBufferPointer {
                pbs_send(socket, $0.baseAddress, $0.count, nil, 0, nil, 0, descriptors, CInt(descriptors.count))
            }
        }
    }

    /// Receives the bytes that have arrived, at most `limit`.
    ///
    /// - Parameter descriptors: receives the descriptors that were passed with them.
    /// - Returns: none at the end, whether or not the other side has read all bytes; nil if nothing has arrived.
    package static func receive(
        from socket: CInt,
        upTo limit: Int,
        _ descriptors: inout [DescriptorBox]
    ) throws(SystemError) -> [UInt8]? {
        var numbers = [CInt](repeating: -1, count: Int(PBS_MAX_DESCRIPTORS))
        var (found, truncated): (CInt, CInt) = (0, 0)
        var failure: SystemError?
        var isBlocked = false
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                let received = try System.callUnlessBlocked("recvmsg") {
                    pbs_receive(
                        socket,
                        buffer.baseAddress,
                        buffer.count,
                        &numbers,
                        CInt(PBS_MAX_DESCRIPTORS),
                        &found,
                        &truncated
                    )
                }
                isBlocked = received == nil
                count = received ?? 0
            } catch {
                failure = error
            }
        }
        for number in numbers.prefix(Int(found)) {
            descriptors.append(DescriptorBox(OwnedDescriptor(adopting: number)))
        }
        if let failure, failure.errno != ECONNRESET { throw failure }
        // One that is missing would be taken for the next one.
        if truncated != 0 { throw SystemError(call: "recvmsg", errno: EMFILE) }
        return isBlocked ? nil : bytes
    }
}
