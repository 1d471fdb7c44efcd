import BrokerState
import PasteboardTransport
import TestSupport
import Testing

@testable import BrokerLoop

/// The thread that writes and removes the files of a spool.
@Suite(.inProcess) struct SpoolWriterTests {
    private let directory: TemporaryDirectory
    private let writer: SpoolWriter
    private let contents = PublicationID(rawValue: 1 << 32)
    private let others = PublicationID(rawValue: 1 << 32 | 1)

    init() throws {
        directory = try TemporaryDirectory()
        let spool = try SpoolDirectory(at: directory["spool"], timeout: 0)
        writer = try SpoolWriter(spool.descriptor, closer: DescriptorCloser())
    }

    private var files: [String] { directory.names(in: "spool") }

    private func write(_ number: UInt64, for contents: PublicationID) {
        writer.write(SpoolWriter.Write(number: number, description: [1], kept: []), for: contents)
    }

    /// Waits for the last job, and returns the failures.
    private func settle() throws -> SpoolWriter.Failures {
        var all = SpoolWriter.Failures()
        func take() {
            let more = writer.takeFailures()
            all.error = all.error ?? more.error
            all.unwritten += more.unwritten
            all.lost += more.lost
        }
        repeat {
            _ = try System.poll([PollInterest(writer.raw, .readable)], milliseconds: nil)
            take()
        } while writer.isBusy
        take()
        return all
    }

    /// A version that cannot be written: there is something else under its unfinished name.
    private func obstruct(_ number: UInt64) throws {
        _ = try directory.makeDirectory("spool/\(number).new")
    }

    @Test("A version that cannot be written leaves the earlier one, which is removed with the contents")
    func failedVersions() throws {
        try writer.start()
        write(1, for: contents)
        _ = try settle()
        for number in 2...3 {
            try obstruct(UInt64(number))
            write(UInt64(number), for: contents)
            let failures = try settle()
            #expect(failures.error != nil && failures.lost.isEmpty && failures.unwritten == [contents])
            #expect(files.contains("1"))
        }
        writer.remove(contents)
        #expect(try settle().error == nil)
        #expect(files == ["2.new", "3.new"])
        try obstruct(4)
        write(4, for: others)
        #expect(try settle().lost == [others])
    }

    @Test("A version that is replaced before it was written is not written, and the one before leaves the disk")
    func waiting() throws {
        writer.adopt(1, for: contents)
        try directory.write("old", to: "spool/1")
        write(2, for: contents)
        write(3, for: others)
        write(4, for: contents)
        try writer.start()
        #expect(try settle().error == nil)
        #expect(files == ["3", "4"])
    }

    @Test("What is removed leaves the disk before anything is written, and is not written")
    func removals() throws {
        writer.adopt(1, for: contents)
        try directory.write("old", to: "spool/1")
        try obstruct(2)
        write(2, for: others)
        write(3, for: contents)
        writer.remove(contents)
        try writer.start()
        #expect(try settle().lost == [others])
        #expect(files == ["2.new"])
    }

    @Test("A file that cannot be removed is tried again", arguments: [true, false])
    func again(atEnd: Bool) throws {
        writer.adopt(1, for: contents)
        _ = try directory.makeDirectory("spool/1")
        writer.remove(contents)
        try writer.start()
        #expect(try settle().error != nil)
        try System.removeDirectory(directory["spool/1"])
        try directory.write("old", to: "spool/1")
        if atEnd { writer.finish() } else { writer.retryRemovals() }
        #expect(try settle().error == nil)
        #expect(files == [])
    }

    @Test("After a stop no file appears or disappears")
    func stopped() throws {
        writer.adopt(1, for: contents)
        try directory.write("old", to: "spool/1")
        writer.remove(contents)
        write(2, for: others)
        writer.stop()
        try writer.start()
        _ = try settle()
        #expect(files == ["1"] && !writer.isBusy)
    }
}
