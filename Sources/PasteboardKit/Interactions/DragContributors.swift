/// The interactions that items of a drag have come from, all of which hear what becomes of it.
@MainActor
final class DragContributors: DragObserver {
    private var interactions: [DragInteraction]
    /// Where items come from that are about to be added, by the first of them.
    private var expected: [ObjectIdentifier: DragInteraction] = [:]

    /// - Parameter first: the one that the drag begins at.
    init(_ first: DragInteraction) {
        interactions = [first]
    }

    /// Items will be added that an interaction has given.
    func expect(_ items: [DragItem], from interaction: DragInteraction) {
        guard let first = items.first else { return }
        expected[ObjectIdentifier(first)] = interaction
    }

    func sessionDidMove(_ session: Drag) {
        for interaction in interactions {
            interaction.delegate?.dragInteraction(interaction, sessionDidMove: session)
        }
    }

    func session(_ session: Drag, willAdd items: [DragItem]) {
        let known = items.first.flatMap { expected.removeValue(forKey: ObjectIdentifier($0)) }
        guard let adding = known ?? interactions.first else { return }
        if !interactions.contains(where: { $0 === adding }) { interactions.append(adding) }
        for interaction in interactions {
            interaction.delegate?.dragInteraction(interaction, session: session, willAdd: items, for: adding)
        }
    }

    func session(_ session: Drag, willEndWith operation: DropOperation) {
        for interaction in interactions {
            interaction.delegate?.dragInteraction(interaction, session: session, willEndWith: operation)
        }
    }

    func session(_ session: Drag, didEndWith operation: DropOperation) {
        for interaction in interactions {
            interaction.delegate?.dragInteraction(interaction, session: session, didEndWith: operation)
        }
    }

    func sessionDidTransferItems(_ session: Drag) {
        for interaction in interactions {
            interaction.delegate?.dragInteraction(interaction, sessionDidTransferItems: session)
        }
    }
}
