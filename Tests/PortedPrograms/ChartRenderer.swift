import PasteboardCompatibility

/// Renders a chart when somebody asks for it, which takes many steps and can be cancelled.
final class ChartRenderer: Sendable {
    let stepCount: Int
    private let queue = DispatchQueue(label: "com.example.chart-renderer")

    init(stepCount: Int) {
        self.stepCount = stepCount
    }

    func itemProvider() -> NSItemProvider {
        let itemProvider = NSItemProvider()
        itemProvider.registerDataRepresentation(for: .commaSeparatedText, visibility: .all) { completion in
            let progress = Progress(totalUnitCount: Int64(self.stepCount))
            self.queue.async {
                var rows: [String] = []
                for step in 0..<self.stepCount {
                    if progress.isCancelled {
                        completion(nil, CocoaError(.userCancelled))
                        return
                    }
                    rows.append("\(step),\(step * step)")
                    progress.completedUnitCount += 1
                }
                completion(rows.joined(separator: "\n").data(using: .utf8), nil)
            }
            return progress
        }
        return itemProvider
    }

    /// A chart that is never done, until somebody cancels it.
    func endlessItemProvider(
        started: @escaping @Sendable () -> Void,
        cancelled: @escaping @Sendable () -> Void
    ) -> NSItemProvider {
        let itemProvider = NSItemProvider()
        itemProvider.registerDataRepresentation(for: .commaSeparatedText, visibility: .all) { completion in
            let progress = Progress(totalUnitCount: -1)
            progress.isCancellable = true
            progress.cancellationHandler = {
                cancelled()
                completion(nil, CocoaError(.userCancelled))
            }
            started()
            return progress
        }
        return itemProvider
    }
}

/// Loads several charts, and shows one progress for all of them.
final class ChartLoader: Sendable {
    let overallProgress: Progress

    init(chartCount: Int) {
        overallProgress = Progress(totalUnitCount: Int64(chartCount))
    }

    func load(_ itemProvider: NSItemProvider, completionHandler: @escaping @Sendable (Int?, Error?) -> Void) {
        let type = UTType.commaSeparatedText
        let progress = itemProvider.loadDataRepresentation(for: type) { data, error in
            let text = data.flatMap { String(data: $0, encoding: .utf8) }
            completionHandler(text?.components(separatedBy: "\n").count, error)
        }
        overallProgress.addChild(progress, withPendingUnitCount: 1)
    }

    func cancelAll() {
        overallProgress.cancel()
    }
}
