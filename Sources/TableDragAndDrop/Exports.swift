@_exported public import PasteboardCompatibility

// Row index paths are part of this module's interface.
@_exported public import struct FoundationEssentials.IndexPath
