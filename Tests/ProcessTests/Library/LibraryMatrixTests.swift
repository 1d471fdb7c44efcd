import Glibc
import TestSupport
import Testing

/// Programs with the library as processes, and their deaths with each kind of registration and each form of load.
@Suite(.processes) struct LibraryMatrixTests {
    @Test("Contents for a group are visible with its token, and an item for its own process alone is refused")
    func visibility() throws {
        try BrokerProcess.run { broker in
            _ = try broker.librarySource([
                "group=secret", "visibility=group", "data", "object",
            ])
            let member = try broker.libraryDestination(["group=other", "group=secret", "data"]).rest()
            #expect(
                member == [
                    "items 2", "0 data pattern:400000 public.png", "1 data text:a%20note public.utf8-plain-text",
                ]
            )
            let stranger = try broker.libraryDestination(["type=public.png", "data"]).rest()
            #expect(stranger == ["items 0"])
            #expect(try broker.libraryDestination(["group=Secret", "types"]).rest() == ["items 0"])
            let refused = #expect(throws: ProcessRunner.Trouble.self) {
                try broker.librarySource(["visibility=ownProcess", "memory"])
            }
            #expect(
                "\(String(describing: refused))".contains(
                    "item 0 of the write has no representation that other processes may see"
                )
            )
        }
    }

    @Test(
        "A source that dies while its handler runs fails the load immediately",
        arguments: [
            "data", "file", "folder", "object", "lazy", "stream", "memory",
        ]
    )
    func sourceDies(kind: String) throws {
        try BrokerProcess.run { broker in
            for form in ["data", "file", "inPlace", "chunks"] {
                let source = try broker.librarySource(["waits", kind])
                let destination = try broker.libraryDestination([form])
                try source.expect("asked")
                try source.kill()
                #expect(try destination.rest().last == "0 \(form) failed source-gone")
            }
        }
    }

    @Test(
        "A source that dies while it sends bytes fails the load immediately",
        arguments: ["data", "file", "stream"]
    )
    func sourceDiesHalfway(kind: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(repeating: 1, count: 32 << 20), to: "large")
        try BrokerProcess.run(limits: ["passed-descriptors=0"]) { broker in
            let source = try broker.librarySource(["count=33554432", "half", "file=\(directory["large"])", kind])
            let destination = try broker.libraryDestination(["paused"])
            try destination.wait(for: "first")
            try source.kill()
            try destination.order("go on")
            let line = try destination.rest().last
            #expect(
                ["0 paused failed source-gone", "0 paused failed source-truncated"].contains(line),
                "\(line ?? "")"
            )
        }
    }

    @Test(
        "A destination that dies cancels the handler that it has called",
        .tags(.f27),
        arguments: [
            "data", "file", "folder", "object", "lazy", "stream", "memory",
        ]
    )
    func destinationDies(kind: String) throws {
        try BrokerProcess.run { broker in
            let source = try broker.librarySource(["waits", kind])
            for form in ["data", "file", "chunks"] {
                let destination = try broker.libraryDestination([form])
                try source.expect("asked")
                try destination.kill()
                try source.expect("cancelled")
            }
            #expect(try broker.loads() == 0)
        }
    }

    @Test("A destination that dies during a stream cancels it, and so does a timeout")
    func destinationDiesHalfway() throws {
        try BrokerProcess.run { broker in
            let source = try broker.librarySource(["half", "stream"])
            let destination = try broker.libraryDestination(["paused"])
            try destination.wait(for: "first")
            try source.expect("asked")
            try destination.kill()
            try source.expect("cancelled")
            let late = try broker.libraryDestination(["timeout=50", "data"])
            #expect(try late.rest().last == "0 data failed timeout")
        }
    }
}
