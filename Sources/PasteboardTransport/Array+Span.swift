extension RangeReplaceableCollection<UInt8> {
    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // The span outlives the call, which copies at once.
        bytes.withUnsafeBufferPointer { self.append(contentsOf: $0) }
    }
}
