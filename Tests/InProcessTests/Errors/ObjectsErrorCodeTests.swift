import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess)
struct ObjectsErrorCodeTests {
    private static let unavailable: [PasteboardError.Code] = [
        .nothingHere, .typeUnavailable, .superseded, .notLoadableNow, .sourceGone, .sourceFailed, .sourceStalled,
        .sourceTruncated, .brokerUnavailable, .brokerRestarted, .linkDown,
    ]
    private static let others: [PasteboardError.Code] = [
        .destinationGone, .destinationStalled, .cancelled, .timeout, .tooLarge, .limitExceeded, .noSpace,
        .notPermitted, .concealed, .refused, .invalidArgument, .protocolViolation, .versionMismatch,
        .init(rawValue: 999),
    ]

    @Test("codes that mean that an item is unavailable are -1000 for item providers", arguments: unavailable)
    func itemUnavailable(code: PasteboardError.Code) {
        let error = PasteboardError(code, message: "m")
        #expect(error.itemProviderErrorCode == ItemProvider.ErrorCode.itemUnavailableError.rawValue)
    }

    @Test("all other codes are -1 for item providers, unknown ones too", arguments: others)
    func unknown(code: PasteboardError.Code) {
        let error = PasteboardError(code, message: "m")
        #expect(error.itemProviderErrorCode == ItemProvider.ErrorCode.unknownError.rawValue)
    }

    @Test(
        "a source's error has its own number if that is an item provider's, else -1 or -1000 by its domain",
        arguments: [
            (ItemProvider.errorDomain, -1200, -1200), (ItemProvider.errorDomain, -1, -1),
            (ItemProvider.errorDomain, 77, -1), ("Other", -1200, -1000),
        ]
    )
    func sourceErrors(domain: String, number: Int, expected: Int) {
        let source = PasteboardError.SourceError(domain: domain, code: number, message: "m")
        let error = PasteboardError(.sourceFailed, message: "m", sourceError: source)
        #expect(error.itemProviderErrorCode == expected)
    }

    @Test("the numbers are those of NSItemProvider, and an error has them as its NSError code")
    func numbers() {
        #expect(ItemProvider.ErrorCode.unknownError.rawValue == -1)
        #expect(ItemProvider.ErrorCode.itemUnavailableError.rawValue == -1000)
        #expect(ItemProvider.ErrorCode.unexpectedValueClassError.rawValue == -1100)
        #expect(ItemProvider.ErrorCode.unavailableCoercionError.rawValue == -1200)
        let error: any Error = PasteboardError(.nothingHere, message: "m")
        #expect(error._domain == ItemProvider.errorDomain)
        #expect(error._code == -1000)
    }
}
