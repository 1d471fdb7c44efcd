import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess) struct LoadOptionsTests {
    @Test("Without a maximum of the caller, a load accepts a quarter of the memory that the process may use")
    func standard() {
        let memory = min(System.memorySize(), System.groupMemoryLimit() ?? .max)
        #expect(LoadOptions().maximum == Int(memory / 4) && LoadOptions().maximum > 1 << 20)
        #expect(LoadOptions().areStandard)
        #expect(LoadOptions(maximumByteCount: 7).maximum == 7 && LoadOptions(maximumByteCount: -1).maximum == 0)
        #expect(!LoadOptions(isAutomatic: true).areStandard)
    }
}
