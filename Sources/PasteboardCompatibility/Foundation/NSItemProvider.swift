public import Foundation
public import PasteboardKit

/// The name of `ItemProvider` in Apple's Foundation.
public typealias NSItemProvider = ItemProvider
/// The name of `ItemProviderReading` in Apple's Foundation.
public typealias NSItemProviderReading = ItemProviderReading
/// The name of `ItemProviderWriting` in Apple's Foundation.
public typealias NSItemProviderWriting = ItemProviderWriting
/// The name of `ItemProviderRepresentationVisibility` in Apple's Foundation.
public typealias NSItemProviderRepresentationVisibility = ItemProviderRepresentationVisibility
/// The name of `ItemProviderFileOptions` in Apple's Foundation.
public typealias NSItemProviderFileOptions = ItemProviderFileOptions

extension ItemProvider {
    /// Makes a provider of a file, as `init(contentsOf:contentType:openInPlace:visibility:)` does.
    ///
    /// - Parameters:
    ///   - fileURL: the URL of the file or folder.
    ///   - contentType: the type; nil: that of the file.
    ///   - openInPlace: whether a destination may open the file in place, for reading.
    ///   - coordinated: makes no difference: there is no file coordination here.
    ///   - visibility: the processes that may see the representation.
    public convenience init?(
        contentsOf fileURL: URL,
        contentType: UniformType? = nil,
        openInPlace: Bool = false,
        coordinated: Bool,
        visibility: ItemProviderRepresentationVisibility = .all
    ) {
        self.init(contentsOf: fileURL, contentType: contentType, openInPlace: openInPlace, visibility: visibility)
    }
}

/// The progress of a load.
///
/// It hides Foundation's in a file that imports this module and not Foundation, which this module exports. In a file
/// that imports both, write `LoadProgress` or `Foundation.Progress`.
public typealias Progress = LoadProgress

extension ItemProviderWriting {
    /// The progress that a method of this protocol returns, also in a file that imports Foundation.
    public typealias Progress = LoadProgress
}

extension LoadProgress {
    /// Whether the fraction is meaningless: the total is unknown, or it is zero and nothing is completed.
    public var isIndeterminate: Bool {
        totalUnitCount < 0 || (totalUnitCount == 0 && completedUnitCount == 0 && !isFinished)
    }

    /// Whether a user interface should offer to cancel the work: always. Setting it has no effect.
    public var isCancellable: Bool {
        get { true }
        set {}
    }
}
