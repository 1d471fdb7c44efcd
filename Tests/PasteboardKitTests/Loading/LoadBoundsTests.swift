import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess) struct LoadBoundsTests {
    @Test("Without a maximum of the caller, a load accepts a quarter of the memory that the process may use")
    func standard() {
        let memory = min(System.memorySize(), System.groupMemoryLimit() ?? .max)
        #expect(LoadBounds().maximum == Int(memory / 4) && LoadBounds().maximum > 1 << 20)
        #expect(LoadBounds().areStandard)
        #expect(LoadBounds(maximumByteCount: 7).maximum == 7 && LoadBounds(maximumByteCount: -1).maximum == 0)
        #expect(!LoadBounds(isAutomatic: true).areStandard)
    }
}
