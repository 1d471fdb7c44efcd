import PasteboardWire
import TestSupport
import Testing

@Suite("Frames that pass descriptors", .pure)
struct DescriptorFrameTests {
    private func isTaken(_ header: FrameHeader, negotiated: Bool) -> Bool {
        var encoder = FrameMemory()
        encoder.append(header: header)
        let bytes = encoder.bytes + [UInt8](repeating: 0, count: Int(header.length))
        var decoder = FrameDecoder()
        decoder.takesDescriptors = negotiated
        var offset = 0
        do throws(Failure) {
            return try decoder.next(in: bytes.span, at: &offset) != nil
        } catch {
            #expect(error.code == .protocolViolation)
            return false
        }
    }

    @Test("Only a welcome, an answer, and data without bytes, may pass a descriptor", arguments: FrameKind.allCases)
    func kinds(kind: FrameKind) {
        for count in [0, 1, 2, 253, 255] as [UInt8] {
            for flags in [.none, .last] as [FrameFlags] {
                for length in [0, 1, 4_096, 4_097] {
                    let header = FrameHeader(kind, stream: 1, length: length, flags: flags, descriptorCount: count)
                    let mayPass =
                        count == 1
                        && (kind == .welcome || flags == .last && kind == .answer && length <= 4_096
                            || flags == .last && kind == .data && length == 0)
                    #expect(isTaken(header, negotiated: true) == (count == 0 || mayPass), "\(header)")
                    #expect(isTaken(header, negotiated: false) == (count == 0), "\(header)")
                }
            }
        }
    }

    @Test("A frame of an unknown kind passes no descriptor")
    func unknown() {
        var header = FrameHeader(.answer, stream: 1, length: 0, flags: .last, descriptorCount: 1)
        header.rawKind = 200
        #expect(!isTaken(header, negotiated: true))
    }
}
