import CPasteboardSystem
import Glibc

/// The socket at which a keeper receives messages: those of a program that it has started, or requests.
package struct NotificationSocket: ~Copyable {
    /// One message: lines of the form `NAME=value`, and the descriptors that were passed with it.
    package struct Message: Sendable {
        /// The process that has sent it, and its user; only at a socket with a path.
        package let sender: CInt
        package let user: UInt32
        package let descriptors: [DescriptorBox]
        private let text: ArraySlice<UInt8>

        init(_ text: ArraySlice<UInt8>, _ descriptors: [DescriptorBox], from sender: CInt, _ user: UInt32) {
            self.sender = sender
            self.user = user
            self.descriptors = descriptors
            self.text = text
        }

        /// The value of a field; nil if the message has no such field.
        package subscript(name: String) -> String? {
            // A character may extend over the end of a line, so bytes are compared.
            let start = Array("\(name)=".utf8)
            let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: start) }
            return line.map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
        }
    }

    private static let longest = 4096

    private let descriptor: OwnedDescriptor
    /// nil for one end of a pair.
    private let path: String?
    // Identifies the socket's file. A file that has replaced it belongs to another keeper and is not removed.
    private let file: FileStatus?

    /// Readable while a message waits.
    package var raw: CInt { descriptor.raw }

    /// Creates a socket without a path, so that only the program that is given the other end can send messages.
    ///
    /// - Parameter other: set to the other end.
    package init(other: inout OwnedDescriptor?) throws(SystemError) {
        var ends: [CInt] = [-1, -1]
        _ = try System.call("socketpair") { pbs_datagram_pair(&ends) }
        descriptor = OwnedDescriptor(adopting: ends[0])
        other = OwnedDescriptor(adopting: ends[1])
        (path, file) = (nil, nil)
    }

    /// Creates the socket, and removes one that a killed process has left there.
    package init(path: String) throws(SystemError) {
        try Socket.checkLength(of: path)
        try? System.unlink(path)
        let raw = try System.call("bind", path) { pbs_datagrams_at(path) }
        file = try? System.status(at: path)
        descriptor = OwnedDescriptor(adopting: raw)
        self.path = path
    }

    deinit {
        if let path, let file, let now = try? System.status(at: path), now.isSameFile(as: file) {
            try? System.unlink(path)
        }
    }

    /// The next message, without waiting; nil if there is none.
    package func next() throws(SystemError) -> Message? {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        var descriptors = [CInt](repeating: -1, count: Int(PBS_MAX_DESCRIPTORS))
        var descriptorCount: CInt = 0
        var sender: Int32 = 0
        var user: UInt32 = 0
        let count = try System.callUnlessBlocked("receive") {
            // The function writes at most so many bytes and descriptors.
            bytes.withUnsafeMutableBytes { bytes in
                descriptors.withUnsafeMutableBufferPointer {
                    pbs_receive_datagram(
                        descriptor.raw,
                        bytes.baseAddress,
                        bytes.count,
                        $0.baseAddress,
                        &descriptorCount,
                        &sender,
                        &user
                    )
                }
            }
        }
        guard let count else { return nil }
        let passed = descriptors.prefix(Int(descriptorCount)).map { DescriptorBox(OwnedDescriptor(adopting: $0)) }
        return Message(bytes.prefix(count), passed, from: sender, user)
    }
}
