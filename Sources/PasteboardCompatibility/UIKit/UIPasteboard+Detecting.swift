public import PasteboardKit

extension UIPasteboard {
    /// Finds out which patterns the texts of the items fit, without passing the texts on to the program.
    ///
    /// Texts that the broker keeps are loaded by the library, as an automatic load. A promise is not loaded, because
    /// its source would run a handler. Concealed contents fit no pattern, and neither do contents with a limited number
    /// of loads and texts of more than 1 MiB. Of longer texts than 64 KiB only the beginning is examined.
    ///
    /// - Parameter patterns: the patterns that are looked for.
    /// - Returns: those of the patterns that at least one item fits.
    /// - Throws: the error of the broker or the connection; `cancelled` if the task is cancelled.
    public func detectedPatterns(
        for patterns: Set<DetectionPattern>
    ) async throws(PasteboardError) -> Set<DetectionPattern> {
        Set(try await detectedValues(for: patterns).map(\.pattern))
    }

    /// Finds the parts of the items' texts that fit patterns, under the rules of ``detectedPatterns(for:)``.
    ///
    /// - Parameter patterns: the patterns that are looked for.
    /// - Returns: the values, item by item; at most 256 of each pattern in an item.
    /// - Throws: as ``detectedPatterns(for:)``.
    public func detectedValues(for patterns: Set<DetectionPattern>) async throws(PasteboardError) -> [DetectedValue] {
        try await pasteboard.read(for: Call("the read of the pasteboard")) { (contents) throws(PasteboardError) in
            guard !contents.terms.isConcealed else { return [] }
            var values: [DetectedValue] = []
            for item in contents.items {
                guard let text = try await item.detectableText() else { continue }
                values += await text.values(of: patterns, in: item.id)
            }
            return values
        }
    }

    /// Finds out which patterns the items fit, under the rules of ``detectedPatterns(for:)``, and calls the completion
    /// handler once.
    public func detectPatterns(
        for patterns: Set<DetectionPattern>,
        completionHandler: @escaping @Sendable (Result<Set<DetectionPattern>, any Error>) -> Void
    ) {
        Task {
            do throws(PasteboardError) {
                completionHandler(.success(try await self.detectedPatterns(for: patterns)))
            } catch {
                completionHandler(.failure(error))
            }
        }
    }
}

extension PasteboardItem {
    /// The largest text that is loaded.
    private static let largestText = 1 << 20

    /// Loads the text of the item.
    ///
    /// - Returns: nil if it has none that may be loaded.
    fileprivate func detectableText() async throws(PasteboardError) -> String? {
        let kept = representations.first { representation in
            representation.state == .kept
                && (representation.type.conforms(to: .plainText) || representation.type.conforms(to: .url))
        }
        guard let kept else { return nil }
        do throws(PasteboardError) {
            let options = LoadOptions(maximumByteCount: Self.largestText, isAutomatic: true)
            return try await itemProvider.loadData(forFirstOf: [kept.type], preferring: .reader, options: options).text
        } catch {
            switch error.code {
            case .cancelled, .superseded, .brokerUnavailable, .brokerRestarted, .brokerStopped: throw error
            // This item cannot be examined, as if it had no text.
            default: return nil
            }
        }
    }
}

extension String {
    /// Searches the text off the caller's actor, because a long one takes a while.
    @concurrent
    fileprivate func values(
        of patterns: Set<UIPasteboard.DetectionPattern>,
        in item: Int
    ) async
        -> [UIPasteboard.DetectedValue]
    {
        let search = TextPatterns(self)
        let ordered = UIPasteboard.DetectionPattern.allCases.filter(patterns.contains)
        return ordered.flatMap { search.matches($0) }.map { match in
            UIPasteboard.DetectedValue(
                pattern: match.pattern,
                item: item,
                text: String(self[match.range]),
                utf8Range: utf8Offsets(of: match.range)
            )
        }
    }

    private func utf8Offsets(of range: Range<Index>) -> Range<Int> {
        let start = utf8.distance(from: startIndex, to: range.lowerBound)
        return start..<start + utf8.distance(from: range.lowerBound, to: range.upperBound)
    }
}
