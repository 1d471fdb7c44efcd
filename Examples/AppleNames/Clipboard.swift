#if canImport(UIKit)
import UIKit
#else
import PasteboardBlocking
#endif

/// The part of the program that uses a pasteboard.
struct Clipboard {
    var pasteboard = UIPasteboard.general

    var text: String? {
        get { pasteboard.string }
        nonmutating set { pasteboard.string = newValue }
    }
}
