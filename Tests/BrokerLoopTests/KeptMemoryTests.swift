import BrokerState
import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) struct KeptMemoryTests {
    /// A large file is overwritten on the closer's thread.
    @Test(
        "Concealed bytes are overwritten with zeros before their file is closed",
        .tags(.f101),
        arguments: [100, 70_000, 3 << 20]
    )
    func wiped(_ count: Int) throws {
        for isConcealed in [true, false] {
            let closer = DescriptorCloser()
            var memory = KeptMemory(closer: closer)
            let id = KeptID(slot: 3, generation: 1)
            if isConcealed { memory.conceal(id) }
            try memory.append([UInt8](repeating: 7, count: count).span, to: id)
            let box = memory[id]?.file.descriptor
            let copy = try System.duplicate(#require(box).raw)
            memory.close(id)
            try eventually("the closing of all descriptors") { closer.waitingCount == 0 }
            #expect(try System.status(of: copy.raw).size == UInt64(count))
            var bytes = [UInt8](repeating: 1, count: count)
            #expect(pread(copy.raw, &bytes, count, 0) == count)
            #expect(bytes.allSatisfy { $0 == (isConcealed ? 0 : 7) })
            // The slot may be used for bytes that are not secret.
            #expect(memory[id] == nil)
        }
    }

    @Test("A broker that ends overwrites the concealed bytes that it still has")
    func atTheEnd() throws {
        var memory = KeptMemory(closer: DescriptorCloser())
        let id = KeptID(slot: 0, generation: 1)
        memory.conceal(id)
        try memory.append([1, 2, 3].span, to: id)
        let passed = memory.descriptor(of: id, opensFiles: true)
        #expect(passed == nil)
        let box = memory[id]?.file.descriptor
        let copy = try System.duplicate(#require(box).raw)
        memory.wipeConcealed()
        #expect(try System.contents(of: "/proc/self/fd/\(copy.raw)") == [0, 0, 0])
    }
}
