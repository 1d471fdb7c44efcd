// Examples/AppleNames/AppleNames.swift
#if !canImport(AppKit) && !canImport(UIKit)
import Foundation
import PasteboardCompatibility
import PasteboardKit
import TableDragAndDrop

typealias NSItemProvider = ItemProvider
typealias NSItemProviderReading = ItemProviderReading
typealias NSItemProviderWriting = ItemProviderWriting
typealias UTType = UniformType
typealias UTTagClass = UniformTagClass
typealias Progress = LoadProgress  // hides Foundation's in this module, as do the next five names
typealias NSString = String
typealias NSURL = URL
typealias CGPoint = Point
typealias CGSize = Size
typealias CGRect = Rect
typealias UIView = InteractionView
typealias UIInteraction = Interaction
typealias UIDragInteraction = DragInteraction
typealias UIDragInteractionDelegate = DragInteractionDelegate
typealias UIDragItem = DragItem
typealias UIDragSession = DragSession
typealias UIDropInteraction = DropInteraction
typealias UIDropInteractionDelegate = DropInteractionDelegate
typealias UIDropOperation = DropOperation
typealias UIDropProposal = DropProposal
typealias UIDropSession = DropSession
typealias UITableView = Table
typealias UITableViewDataSource = TableDataSource
typealias UITableViewDragDelegate = TableDragDelegate
typealias UITableViewDropCoordinator = TableDropCoordinator
typealias UITableViewDropDelegate = TableDropDelegate
typealias UITableViewDropItem = TableDropItem
typealias UITableViewDropPlaceholder = TableDropPlaceholder
typealias UITableViewDropPlaceholderContext = TableDropPlaceholderContext
typealias UITableViewDropProposal = TableDropProposal
#endif
