import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport
import SampleModels
import TestSupport
import Testing

/// The numbers are those of the catalogue "Drag and drop: behaviours".
@Suite("Views: Apple's custom-view sample", .inProcess)
@MainActor
struct PictureViewTests {
    private let inside = Point(x: 50, y: 50)

    @Test("7: a disabled image view starts no drags, and the view around it gets the drops")
    func disabled() async throws {
        try await DragBroker.with { broker in
            let (giver, taker) = (PictureView(.pixel, on: broker.connect()), PictureView(.pixel, on: broker.connect()))
            try await taker.register()
            taker.imageView.isUserInteractionEnabled = false
            #expect(try await taker.drag() == nil)
            let drag = try #require(try await giver.drag())
            #expect(try await drag.drop(at: inside) == "transferred copy")
            #expect(taker.picture !== Picture.pixel)
        }
    }

    @Test(
        "12, 13: a picture is dragged as one item with its types and itself as the local object; no picture, no drag"
    )
    func packaged() async throws {
        try await DragBroker.with { broker in
            let empty = PictureView(nil, on: broker.connect())
            #expect(try await empty.drag() == nil)
            let view = PictureView(.pixel, on: broker.connect())
            let drag = try #require(try await view.drag())
            #expect(drag.items.map(\.itemProvider.registeredTypeIdentifiers) == [["public.png"]])
            #expect(drag.items.first?.localObject as? Picture === Picture.pixel)
        }
    }

    @Test("17: a view may drag several items, and the destination gets them in order")
    func several() async throws {
        try await DragBroker.with { broker in
            let (giver, taker) = (PictureView(nil, on: broker.connect()), PictureView(nil, on: broker.connect()))
            try await taker.register()
            taker.takesSeveral = true
            giver.items = ["c", "a", "b"].map { .named($0, as: .png) }
            let drag = try #require(try await giver.drag())
            #expect(try await drag.move(to: .point(inside)).operation == .copy)
            #expect(taker.events.first == "enter c,a,b")
        }
    }

    @Test(
        "20, 21: the view accepts exactly one item, which must be an image",
        arguments: [
            (["public.png"], true), (["public.jpeg"], true), (["public.heic"], true), (["com.compuserve.gif"], true),
            (["public.png", "public.png"], false), (["public.plain-text"], false),
            (["public.png", "public.plain-text"], false), (["com.example.picture"], false),
        ]
    )
    func acceptance(types: [String], isAccepted: Bool) async throws {
        try await DragBroker.with { broker in
            let taker = PictureView(nil, on: broker.connect())
            try await taker.register()
            let items = types.map { DragItem.named("x", as: UniformType(importedAs: $0)) }
            let drag = try await PasteboardKit.Drag.begin(items, connection: broker.connect())
            #expect(try await drag.move(to: .point(inside)).operation == (isAccepted ? .copy : .cancel))
            #expect(taker.events == (isAccepted ? ["enter x", "feedback 50,50"] : []))
        }
    }

    @Test(
        "33-37: inside its frame the view copies items of other processes and moves its own; outside it does nothing",
        arguments: [
            (false, 20, 20, .copy), (false, 79, 79, .copy), (false, 80, 50, .cancel), (false, 5, 50, .cancel),
            (true, 50, 50, .move), (true, 50, 19, .cancel),
        ] as [(Bool, Double, Double, DropOperation)]
    )
    func proposal(isLocal: Bool, x: Double, y: Double, operation: DropOperation) async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let taker = PictureView(nil, on: connection)
            try await taker.register()
            let giver = PictureView(.pixel, on: isLocal ? connection : broker.connect())
            let drag = try #require(try await giver.drag())
            #expect(try await drag.move(to: .point(Point(x: x, y: y))).operation == operation)
            #expect(try await drag.drop() == operation)
            let outcome = try await drag.outcome().text
            try await taker.happened("end")
            let feedback = "feedback \(Int(x)),\(Int(y))"
            if operation == .cancel {
                #expect(outcome == "cancelled")
                #expect(taker.events == ["enter -", feedback, "end"])
            } else {
                #expect(outcome == "transferred \(operation)")
                // The view is updated once more after the drop.
                #expect(taker.events == ["enter -", feedback, feedback, "loaded 1", "end"])
                #expect(taker.picture?.data == Picture.pixel.data)
            }
            // A moved picture is removed from its source.
            #expect((giver.picture == nil) == (operation == .move))
        }
    }

    @Test("55: all pictures are loaded, and the first one replaces the picture that was shown")
    func firstOfSeveral() async throws {
        try await DragBroker.with { broker in
            let (giver, taker) = (PictureView(nil, on: broker.connect()), PictureView(.pixel, on: broker.connect()))
            try await taker.register()
            taker.takesSeveral = true
            giver.items = ["one", "two", "three"].map { .named($0, as: .png) }
            let drag = try #require(try await giver.drag())
            #expect(try await drag.drop(at: inside) == "transferred copy")
            #expect(taker.events.contains("loaded 3"))
            #expect(taker.picture?.data == Data("one".utf8))
        }
    }

    @Test(
        "56: after a move within the process the source has removed its picture, unless the source ignores the move"
    )
    func moved() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let (giver, taker) = (PictureView(.pixel, on: connection), PictureView(nil, on: connection))
            try await taker.register()
            let drag = try #require(try await giver.drag())
            #expect(try await drag.drop(at: inside) == "transferred move")
            #expect(giver.events == ["removed"])
            #expect(giver.picture == nil && taker.picture != nil)

            let careless = try await PasteboardKit.Drag.begin(
                ImagePackaging.items(for: ImageBoard()),
                connection: connection
            )
            #expect(try await careless.drop(at: inside) == "transferred move")
            #expect(careless.items.first?.localObject as? Picture === Picture.pixel)
        }
    }

    @Test("57: the completion of a direct load runs on a thread of the library, and the drop waits for it")
    func anyThread() async throws {
        try await DragBroker.with { broker in
            let isMain = Lock<Bool?>(nil)
            let main = pthread_self()
            let site = DropSite(on: broker.connect()) { session, _ in
                for item in session.items {
                    item.itemProvider.loadObject(ofClass: Picture.self) { picture, _ in
                        isMain.withLock { $0 = picture == nil || pthread_equal(pthread_self(), main) != 0 }
                    }
                }
            }
            let giver = PictureView(.pixel, on: broker.connect())
            let drag = try #require(try await giver.drag())
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(isMain.withLock { $0 } == false)
            await site.stop()
        }
    }
}

extension DropLocation {
    fileprivate static func point(_ point: Point) -> DropLocation { DropLocation("pictures", point: point) }
}

extension PasteboardKit.Drag {
    /// Drops the drag at a point of the view, and returns the outcome.
    fileprivate func drop(at point: Point) async throws -> String {
        try await move(to: .point(point))
        try await drop()
        return try await outcome().text
    }
}
