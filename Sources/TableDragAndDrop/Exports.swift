// What rows are named by.
@_exported public import struct FoundationEssentials.IndexPath
@_exported public import PasteboardKit
