// Examples/hello-drag/main.swift
import Glibc
import PasteboardKit

do {
    let drag = try await Drag.begin([DragItem(itemProvider: ItemProvider(object: "Yosemite"))])
    let proposal = try await drag.move(to: DropLocation("desk"))
    print("desk would:", proposal.operation)
    try await drag.drop()
    print("outcome:", try await drag.outcome())
} catch {
    print("not dropped:", error)
    exit(1)
}
