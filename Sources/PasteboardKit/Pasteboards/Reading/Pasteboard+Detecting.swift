import PasteboardClient

extension Pasteboard {
    /// Finds out which patterns the texts of the items fit, without passing the texts on to the program.
    ///
    /// Texts that the broker keeps are loaded by the library, as an automatic load. A promise is not loaded, because
    /// its source would run a handler, unless `asksSource` allows that. Concealed contents fit no pattern, and neither
    /// do contents with a limited number of loads and texts of more than 1 MiB. Of longer texts than 64 KiB only the
    /// beginning is examined.
    ///
    /// - Parameters:
    ///   - patterns: the patterns that are looked for.
    ///   - asksSource: whether promises are loaded, too.
    ///   - timeout: the maximum duration of the call, which includes connecting and loading.
    /// - Returns: those of the patterns that at least one item fits.
    /// - Throws: the error of the broker or the connection; `timeout`; `superseded` if the call has no timeout and the
    ///   contents are replaced again and again for 30 s; `cancelled` if the task is cancelled.
    public func detectPatterns(
        _ patterns: Set<DetectionPattern>,
        asksSource: Bool = false,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Set<DetectionPattern> {
        Set(try await detectValues(patterns, asksSource: asksSource, timeout: timeout).map(\.pattern))
    }

    /// Finds the parts of the items' texts that fit patterns, under the rules of
    /// ``detectPatterns(_:asksSource:timeout:)``.
    ///
    /// - Parameters:
    ///   - patterns: the patterns that are looked for.
    ///   - asksSource: whether promises are loaded, too.
    ///   - timeout: the maximum duration of the call, which includes connecting and loading.
    /// - Returns: the values, item by item; at most 256 of each pattern in an item.
    /// - Throws: as ``detectPatterns(_:asksSource:timeout:)``.
    public func detectValues(
        _ patterns: Set<DetectionPattern>,
        asksSource: Bool = false,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> [DetectedValue] {
        let call = Call("the detection of patterns", timeout: timeout)
        return try await read(for: call) { (contents) throws(PasteboardError) in
            guard !contents.terms.isConcealed else { return [] }
            let ordered = DetectionPattern.allCases.filter(patterns.contains)
            var values: [DetectedValue] = []
            for item in contents.items {
                guard let text = try await item.detectableText(asksSource: asksSource, for: call) else { continue }
                // Off the caller's actor, because a long text takes a while.
                values += await withTaskExecutorPreference(ThreadPool.files) {
                    let search = TextPatterns(text)
                    return ordered.flatMap { search.matches($0) }.map { match in
                        DetectedValue(
                            pattern: match.pattern,
                            item: item.id,
                            text: String(text[match.range]),
                            utf8Range: text.utf8Offsets(of: match.range)
                        )
                    }
                }
            }
            return values
        }
    }

    /// Finds out which patterns the items fit, and calls the completion handler once on a thread of the library, as
    /// UIPasteboard does. Promises are not loaded.
    public func detectPatterns(
        for patterns: Set<DetectionPattern>,
        completionHandler: @escaping @Sendable (Result<Set<DetectionPattern>, any Error>) -> Void
    ) {
        Task(executorPreference: ThreadPool.completions) {
            do throws(PasteboardError) {
                completionHandler(.success(try await self.detectPatterns(patterns)))
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
    fileprivate func detectableText(asksSource: Bool, for call: Call) async throws(PasteboardError) -> String? {
        let text = representations.first { representation in
            (representation.type.conforms(to: .plainText) || representation.type.conforms(to: .url))
                && (representation.state == .kept || asksSource && representation.state == .promised)
        }
        guard let text else { return nil }
        do throws(PasteboardError) {
            let loaded = try await itemProvider.loadData(
                for: text.type,
                timeout: call.deadline?.left,
                maximumByteCount: Self.largestText,
                isAutomatic: true
            )
            return try loaded.decoded
        } catch {
            switch error.code {
            case .timeout: throw call.error(ofLoad: error)
            case .cancelled: throw call.cancelled
            case .superseded, .brokerUnavailable, .brokerRestarted: throw error
            // This item cannot be examined, as if it had no text.
            default: return nil
            }
        }
    }
}

extension String {
    fileprivate func utf8Offsets(of range: Range<Index>) -> Range<Int> {
        let start = utf8.distance(from: startIndex, to: range.lowerBound)
        return start..<start + utf8.distance(from: range.lowerBound, to: range.upperBound)
    }
}
