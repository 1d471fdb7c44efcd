import PasteboardKit
import Testing

/// Expects that the body throws an error with this code, and returns the error.
@discardableResult
func expectError<Result>(
    _ code: PasteboardError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
) async -> PasteboardError? {
    let error = await #expect(throws: PasteboardError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}
