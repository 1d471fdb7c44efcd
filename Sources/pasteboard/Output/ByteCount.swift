/// Sizes as people read them.
enum ByteCount {
    /// `512 bytes`, `1.5 MiB`.
    static func text(_ count: UInt64) -> String {
        guard count >= 1024 else { return count == 1 ? "1 byte" : "\(count) bytes" }
        var value = Double(count)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = UInt64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

extension BinaryInteger {
    /// `1 item`, `3 items`.
    func counted(_ noun: String) -> String {
        self == 1 ? "1 \(noun)" : "\(self) \(noun)s"
    }
}
