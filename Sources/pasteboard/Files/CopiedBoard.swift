import PasteboardClient
import PasteboardWire

/// All items of a pasteboard, for a copy on another one. Kept bytes that the broker passes as descriptors are not
/// copied; promised contents are made now.
struct CopiedBoard {
    let items: [WriteItem]
    let terms: ContentTerms?

    init(_ board: String, over connection: BlockingConnection) throws {
        let listing = try connection.listing(of: board, settles: false)
        let contents = listing.contents
        guard contents.handle != nil, !listing.items.isEmpty else {
            throw Failure.empty(board, cleared: contents.clearedMilliseconds)
        }
        guard contents.terms?.maximumLoads == nil else {
            throw Failure(.refused, "cannot copy pasteboard \(board), which can be pasted a limited number of times")
        }
        if let gone = listing.items.lazy.flatMap(\.representations).first(where: { $0.provision == .gone }) {
            let owner = TextTable.program(contents.ownerLabel, contents.ownerProcess)
            let text = "cannot copy pasteboard \(board): \(owner), which promised \(gone.type), has ended"
            throw Failure(.sourceGone, text)
        }
        items = try PresentContents.items(of: listing, connection)
        terms = contents.terms
    }
}
