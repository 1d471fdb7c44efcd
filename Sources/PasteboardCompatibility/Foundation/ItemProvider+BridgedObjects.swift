public import Foundation
public import PasteboardKit

// `NSString` and `NSURL` are written as the values that they bridge to. An `NSString` can be mutable, so its present
// value is written.
extension ItemProvider {
    /// Makes a provider from an object, as from its value.
    public convenience init<Object: _StructTypeBridgeable>(
        object: Object
    ) where Object._StructType: ItemProviderWriting {
        self.init(object: object._bridgeToSwift())
    }

    /// Promises the item as an object, as with its value.
    public func registerObject<Object: _StructTypeBridgeable>(
        _ object: Object,
        visibility: ItemProviderRepresentationVisibility
    ) where Object._StructType: ItemProviderWriting {
        registerObject(object._bridgeToSwift(), visibility: visibility)
    }

    /// Promises the item as an object, which is made at a load, as with its value.
    public func registerObject<Object: _StructTypeBridgeable & SendableMetatype>(
        ofClass aClass: Object.Type,
        visibility: ItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (_ completionHandler: @escaping @Sendable (Object?, (any Error)?) -> Void)
            -> LoadProgress?
    ) where Object._StructType: ItemProviderWriting {
        registerObject(ofClass: Object._StructType.self, visibility: visibility) { completion in
            loadHandler { completion($0.map { $0._bridgeToSwift() }, $1) }
        }
    }
}
