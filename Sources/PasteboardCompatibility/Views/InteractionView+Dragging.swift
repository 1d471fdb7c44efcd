public import Foundation
public import PasteboardKit

// Drags that begin in a tree of views.
extension InteractionView {
    /// Adds items to a drag that is under way, as a tap with another finger does. The deepest view at the point that
    /// has an enabled ``DragInteraction`` provides the items. From then on, that interaction is notified of the drag's
    /// events too. If the drag began with `Drag.begin(_:options:timeout:connection:)`, no interaction is notified.
    ///
    /// - Parameters:
    ///   - drag: a drag that was not dropped. It may have begun elsewhere.
    ///   - point: a point in this view's coordinates.
    /// - Returns: false if there is no such interaction, or if its delegate provides no items.
    /// - Throws: as `Drag.add(_:)`. The session continues unchanged.
    @discardableResult
    public func addItems(to drag: Drag, at point: CGPoint) async throws(PasteboardError) -> Bool {
        guard let (interaction, point) = dragInteraction(at: point) else { return false }
        return try await interaction.addItems(to: drag, at: point)
    }

    /// Returns the interaction at which a drag at the point would begin, and the point in its view's coordinates.
    func dragInteraction(at point: CGPoint) -> (DragInteraction, CGPoint)? {
        for view in views(at: point) {
            for case let interaction as DragInteraction in view.interactions where interaction.isEnabled {
                return (interaction, view.convert(point, from: self))
            }
        }
        return nil
    }

    /// Begins a drag in this view's tree. A location with an empty name then refers to this tree.
    ///
    /// - Parameter contributor: the contributor of the items, which is notified of the drag's events. It already knows
    ///   that the drag is about to begin.
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
            contributors.handle(.willEnd(.cancel), of: drag)
            contributors.handle(.didEnd(.cancel), of: drag)
            throw error
        }
    }

    /// Returns the name by which drags of this process find this tree. It is separate from the name that the tree may
    /// be registered as.
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
        // Another drag may have registered the name meanwhile.
        if let known = knownHome { return known }
        homeDestination = made
        return made.name
    }

    private var knownHome: String? {
        guard let home = homeDestination, home.isServed, home.connection === connection else { return nil }
        return home.name
    }
}
