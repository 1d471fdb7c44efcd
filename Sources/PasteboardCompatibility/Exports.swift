@_exported public import PasteboardKit
