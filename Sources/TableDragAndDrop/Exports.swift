@_exported public import PasteboardKit

// What rows are named by.
@_exported public import struct FoundationEssentials.IndexPath
