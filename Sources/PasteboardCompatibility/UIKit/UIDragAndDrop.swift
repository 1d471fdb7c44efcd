public import PasteboardKit

/// The name of `DragItem` in UIKit.
public typealias UIDragItem = DragItem
/// The name of `DragDropSession` in UIKit.
public typealias UIDragDropSession = DragDropSession
/// The name of `DragSession` in UIKit.
public typealias UIDragSession = DragSession
/// The name of `DropSession` in UIKit.
public typealias UIDropSession = DropSession
/// The name of `DropProposal` in UIKit.
public typealias UIDropProposal = DropProposal
/// The name of `DropOperation` in UIKit.
public typealias UIDropOperation = DropOperation
/// The name of ``DragInteraction`` in UIKit.
public typealias UIDragInteraction = DragInteraction
/// The name of ``DragInteractionDelegate`` in UIKit.
public typealias UIDragInteractionDelegate = DragInteractionDelegate
/// The name of ``DropInteraction`` in UIKit.
public typealias UIDropInteraction = DropInteraction
/// The name of ``DropInteractionDelegate`` in UIKit.
public typealias UIDropInteractionDelegate = DropInteractionDelegate
/// The name of ``InteractionView`` in UIKit.
public typealias UIView = InteractionView
/// The name of ``Interaction`` in UIKit.
public typealias UIInteraction = Interaction
