import TestSupport
import Testing

@testable import PasteboardTransport

@Suite(.pure) struct MemoryLimitTests {
    @Test(
        "The least limit of a control group and of the groups around it applies",
        arguments: [
            ("0::/\n", ["/sys/fs/cgroup/memory.max": "1000\n"], 1_000),
            ("4:memory:/x\n0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "max\n"], nil),
            ("0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "70\n"], 70),
            ("0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "60\n", "/sys/fs/cgroup/a/memory.max": "70\n"], 60),
            ("4:memory:/x\n", ["/sys/fs/cgroup/x/memory.max": "1\n"], nil), ("", [:], nil), ("0::/a\n", [:], nil),
            // Version 1, also beside version 2. In a container, its group is the root of what it can see.
            ("9:cpu:/x\n4:memory:/x\n", ["/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "80\n"], 80),
            ("4:cpu,memory:/docker/x\n0::/", ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "90\n"], 90),
            (
                "4:memory:/x\n0::/a\n",
                ["/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "80\n", "/sys/fs/cgroup/a/memory.max": "70\n"], 70
            ),
            ("4:memoryless:/x\n", ["/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "80\n"], nil),
            ("4:memory\nnonsense\n:", ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "80\n"], nil),
        ] as [(String, [String: String], UInt64?)]
    )
    func groups(_ groups: String, _ files: [String: String], _ expected: UInt64?) {
        #expect(System.groupMemoryLimit(Array(groups.utf8)) { files[$0].map { Array($0.utf8) } } == expected)
    }
}
