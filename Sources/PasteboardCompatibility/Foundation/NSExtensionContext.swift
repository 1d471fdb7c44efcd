public import Foundation
public import PasteboardKit

/// The key of a script's results in the property list that a share extension loads.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"
/// The key of a script's arguments in the property list that a share extension returns.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

/// An item of a share extension, as in Apple's Foundation.
open class NSExtensionItem: NSObject {
    /// The title.
    open var attributedTitle: NSAttributedString?
    /// The text.
    open var attributedContentText: NSAttributedString?
    /// The contents.
    open var attachments: [ItemProvider]?
    /// The other properties.
    open var userInfo: [AnyHashable: Any]?
}

/// The request that a share extension answers, as in Apple's Foundation. Here a program makes it and gets the answer.
open class NSExtensionContext: NSObject {
    /// The items to share.
    public let inputItems: [Any]
    private let answer: (Result<[Any], any Error>) -> Void

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - inputItems: the items to share.
    ///   - answer: receives the items that are returned, or the error of a cancelled request.
    public init(inputItems: [NSExtensionItem], answer: @escaping (Result<[Any], any Error>) -> Void = { _ in }) {
        self.inputItems = inputItems
        self.answer = answer
    }

    /// Answers the request, and calls the completion handler with false.
    open func completeRequest(returningItems items: [Any]?, completionHandler: ((Bool) -> Void)? = nil) {
        answer(.success(items ?? []))
        completionHandler?(false)
    }

    /// Cancels the request.
    open func cancelRequest(withError error: any Error) {
        answer(.failure(error))
    }
}

/// An object that answers the requests of an extension, as in Apple's Foundation.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
    /// Answers a request.
    func beginRequest(with context: NSExtensionContext)
}
