@_exported public import TypeIdentifiers
