public import PasteboardKit

/// How the picture in the frame becomes an item: as everything that a picture can be written as.
public enum ImagePackaging {
    /// The item; none without a picture. Destinations in this process find the picture itself in it.
    @MainActor
    public static func items(for board: ImageBoard) -> [DragItem] {
        guard let picture = board.picture else { return [] }
        let item = DragItem(itemProvider: ItemProvider(object: picture))
        item.localObject = picture
        return [item]
    }
}
