public import PasteboardKit

/// Packages the picture in the frame as an item, in all types that a picture can be written as.
public enum ImagePackaging {
    /// The item; nil without a picture. Destinations in this process find the picture itself in it.
    @MainActor
    public static func items(for board: ImageBoard) -> [DragItem] {
        guard let picture = board.picture else { return [] }
        let item = DragItem(itemProvider: ItemProvider(object: picture))
        item.localObject = picture
        return [item]
    }
}
