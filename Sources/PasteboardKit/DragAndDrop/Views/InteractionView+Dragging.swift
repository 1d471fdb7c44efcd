// Drags that begin in a tree of views.
extension InteractionView {
    /// Adds items to a drag that is under way, as a tap with another finger does: asks the deepest view at a point that has an
    /// enabled ``DragInteraction``. From then on that interaction, too, is notified of the drag's events. If the drag has begun
    /// with ``Drag/begin(_:options:timeout:connection:)``, no interaction is notified.
    ///
    /// - Parameters:
    ///   - drag: one that has not been dropped, whether or not it began in this tree.
    ///   - point: in this view's coordinates.
    /// - Returns: false if there is no such interaction, or if its delegate gives no items.
    /// - Throws: as ``Drag/add(_:)``. The session goes on as it was.
    @discardableResult
    public func addItems(to drag: Drag, at point: Point) async throws(PasteboardError) -> Bool {
        guard let (interaction, point) = dragInteraction(at: point) else { return false }
        return try await interaction.addItems(to: drag, at: point)
    }

    /// The interaction that drags begin at, and the point in its view's coordinates.
    func dragInteraction(at point: Point) -> (DragInteraction, Point)? {
        for view in views(at: point) {
            for case let interaction as DragInteraction in view.interactions where interaction.isEnabled {
                return (interaction, view.convert(point, from: self))
            }
        }
        return nil
    }

    /// Begins a drag in the tree that this view lies in, which is where the empty name leads then.
    ///
    /// - Parameter contributor: has been told of the beginning, and hears what becomes of it.
    package func start(
        _ drag: Drag,
        _ options: Drag.Options,
        from contributor: any DragContributor
    ) async throws(PasteboardError) {
        let contributors = DragContributors(contributor)
        drag.observer = contributors
        do {
            let home = try await outermost.home()
            try await drag.start(options, home: home, observer: contributors)
        } catch {
            contributors.session(drag, willEndWith: .cancel)
            contributors.session(drag, didEndWith: .cancel)
            throw error
        }
    }

    /// The name that drags of this process find this tree by, whether or not it has one for others.
    private func home() async throws(PasteboardError) -> String {
        if let known = knownHome { return known }
        let made = try await ViewDestination(
            "views-\(String(UInt64.random(in: .min ... .max), radix: 36))",
            accepting: [],
            isOwnProcess: true,
            allowsSimultaneousSessions: true,
            sessions: sessions,
            connection: connection
        )
        // Another drag may have been quicker.
        if let known = knownHome { return known }
        homeDestination = made
        return made.name
    }

    private var knownHome: String? {
        guard let home = homeDestination, home.isServed, home.connection === connection else { return nil }
        return home.name
    }
}
