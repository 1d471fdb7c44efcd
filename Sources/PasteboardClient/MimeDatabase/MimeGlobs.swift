import TypeIdentifiers

/// The patterns of one or several `globs2` files that stand for extensions.
struct MimeGlobs {
    private(set) var all: [SharedMimeInfo.Glob] = []
    /// Types whose patterns in later, less important, directories do not count.
    private var closedTypes: Set<String> = []

    /// The lines of one file, `weight:type:pattern` or `weight:type:pattern:flags`; others are passed over.
    ///
    /// More fields may come in later versions of the format, and flags that are not known here are to be ignored.
    mutating func add(lines: [ArraySlice<UInt8>]) {
        var closing: Set<String> = []
        for line in lines {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 3, let weight = Int(MimeDatabase.text(fields[0])), 0...100 ~= weight,
                fields[1].contains(UInt8(ascii: "/"))
            else { continue }
            let mimeType = MimeDatabase.text(fields[1])
            if fields[2].elementsEqual("__NOGLOBS__".utf8) { closing.insert(mimeType) }
            guard let name = Self.filenameExtension(fields[2]), !self.closedTypes.contains(mimeType) else { continue }
            let flags = fields.count > 3 ? fields[3].split(separator: UInt8(ascii: ",")) : []
            self.all.append(
                SharedMimeInfo.Glob(
                    weight: weight,
                    mimeType: mimeType,
                    filenameExtension: name,
                    isCaseSensitive: flags.contains { $0.elementsEqual("cs".utf8) }
                )
            )
        }
        self.closedTypes.formUnion(closing)
    }

    /// `*.` and plain text; whole names (`Makefile`) and other patterns say nothing about extensions.
    private static func filenameExtension(_ pattern: ArraySlice<UInt8>) -> String? {
        let rest = pattern.dropFirst(2)
        let isPlain = rest.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"*?[]\\/".utf8.contains($0) }
        return pattern.starts(with: "*.".utf8) && !rest.isEmpty && isPlain ? MimeDatabase.text(rest) : nil
    }
}
