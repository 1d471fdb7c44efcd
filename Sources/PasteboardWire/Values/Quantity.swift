/// Numbers with units, as people write times and sizes: `1m30s`, `1.5 MiB`.
package enum Quantity {
    /// The units of time in milliseconds, by the names that `timeout` and systemd give them.
    package static let times = units([
        (1, "ms msec"), (1_000, "s sec second seconds"), (60_000, "m min minute minutes"),
        (3_600_000, "h hr hour hours"), (86_400_000, "d day days"), (604_800_000, "w week weeks"),
    ])
    package static let sizes = units([(1, "byte bytes"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 30, "GiB")])

    private static func units(_ table: [(factor: UInt64, names: String)]) -> [String: UInt64] {
        let pairs = table.flatMap { row in row.names.split(separator: " ").map { (String($0), row.factor) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The sum of one or more numbers with units; nil if the text is something else, or the sum is out of range.
    /// Spaces are allowed in it, and fractions, which are rounded up.
    package static func value(of text: some StringProtocol, in units: [String: UInt64]) -> UInt64? {
        var (rest, sum) = (text[...], UInt64(0))
        repeat {
            let number = rest.prefix { $0 == "." || ("0"..."9").contains($0) }
            rest = rest.dropFirst(number.count).drop { $0 == " " }
            let unit = rest.prefix { $0 != "." && $0 != " " && !("0"..."9").contains($0) }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            let parts = number.split(separator: ".", omittingEmptySubsequences: false)
            // A point alone has more parts than characters.
            guard parts.count <= 2, parts.count <= number.count, let factor = units[String(unit)],
                let whole = UInt64("0\(parts[0])"), let fraction = Double("0.\(parts.count == 2 ? parts[1] : "")0")
            else { return nil }
            // Without the subtraction, an inexact last digit of the product would be rounded up.
            let part = UInt64((fraction * Double(factor) - 1e-6).rounded(.up))
            let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
            let (total, totalOverflow) = sum.addingReportingOverflow(product)
            guard !overflow, !totalOverflow else { return nil }
            sum = total.addingClamped(part)
        } while !rest.isEmpty
        return sum
    }
}
