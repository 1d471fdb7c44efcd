import PasteboardWire

/// The frames that `Protocol.md` shows byte by byte, encoded by the code.
enum ShownFrames {
    struct Frame {
        let isFromBroker: Bool
        let bytes: [UInt8]
    }

    private static let place = "com.example.place"
    private static let plainText = "public.utf8-plain-text"
    private static let askStream: UInt64 = 1 << 32

    static var source: [Frame] {
        [
            client(hello("places-source"), 0),
            client(make { (it: inout Write) in it.board = "general" }, 1),
            client(item, 1),
            data("Kyoto", 1, .last, isFromBroker: false),
            client(make { (it: inout Commit) in it.itemCount = 1 }, 1),
            broker(welcome, 0),
            broker(
                make { (it: inout Committed) in
                    it.changeCount = 5_000_001
                    it.epoch = 77
                    it.handle = 7
                },
                1
            ),
            broker(ask, askStream),
            data(#"{"name":"Kyoto"}"#, askStream, .last, isFromBroker: false),
            broker(make { (it: inout End) in it.reason = .replaced }, 1),
        ]
    }

    static var destination: [Frame] {
        [
            client(hello("places-target"), 0),
            client(load, 1),
            broker(welcome, 0),
            broker(answer, 1),
            data(#"{"name":"K"#, 1, [], isFromBroker: true),
            client(make { (it: inout Credit) in it.offset = 262_144 }, 1),
            data(#"yoto"}"#, 1, .last, isFromBroker: true),
            client(make { (it: inout List) in it.board = "general" }, 3),
            broker(contents, 3),
            broker(item, 3),
            broker(End(), 3),
        ]
    }

    private static func hello(_ label: String) -> Hello {
        make {
            $0.minimumVersion = 1
            $0.maximumVersion = 1
            $0.features = [Feature.condition.rawValue]
            $0.role = .program
            $0.label = label
            $0.maximumStreams = 16
            $0.programVersion = "1.0"
        }
    }

    private static let welcome: Welcome = make {
        $0.version = 1
        $0.features = [Feature.condition.rawValue]
        $0.epoch = 77
        $0.maximumStreams = 128
        $0.keptPool = 1 << 30
        $0.firstByteMilliseconds = 30_000
        $0.progressMilliseconds = 10_000
        $0.process = 4000
        $0.programVersion = "1.0"
        $0.keptFree = 1 << 30
    }

    private static let item: Item = make {
        $0.suggestedName = "Kyoto"
        $0.representations = [
            make {
                $0.type = place
                $0.supertypes = ["public.data", "public.item"]
                $0.provision = .promised
            },
            make {
                $0.type = plainText
                $0.byteCount = 5
                $0.provision = .kept
            },
        ]
    }

    private static let ask: Ask = make {
        $0.handle = 7
        $0.item = 0
        $0.representation = 0
        $0.type = place
        $0.credit = 262_144
        $0.firstByteMilliseconds = 30_000
    }

    private static let load: Load = make {
        $0.item = 0
        $0.accepts = [
            make {
                $0.type = place
                $0.match = .exact
            },
            make {
                $0.type = plainText
                $0.match = .conforming
            },
        ]
        $0.preference = .acceptList
        $0.credit = 10
    }

    private static let answer: Answer = make {
        $0.handle = 7
        $0.item = 0
        $0.type = place
        $0.itemCount = 1
        $0.suggestedName = "Kyoto"
    }

    private static let contents: Contents = make {
        $0.changeCount = 5_000_001
        $0.epoch = 77
        $0.handle = 7
        $0.itemCount = 1
        $0.ownerLabel = "places-source"
        $0.ownerProcess = 4100
    }

    private static func make<Message: ProtobufMessage>(_ fill: (inout Message) -> Void) -> Message {
        var message = Message()
        fill(&message)
        return message
    }

    private static func client(_ message: some WireMessage, _ stream: UInt64) -> Frame {
        Frame(isFromBroker: false, bytes: FrameEncoder.encoding(message, stream: stream))
    }

    private static func broker(_ message: some WireMessage, _ stream: UInt64) -> Frame {
        Frame(isFromBroker: true, bytes: FrameEncoder.encoding(message, stream: stream))
    }

    private static func data(_ text: String, _ stream: UInt64, _ flags: FrameFlags, isFromBroker: Bool) -> Frame {
        var encoder = FrameEncoder()
        encoder.appendData(Array(text.utf8), stream: stream, flags: flags)
        return Frame(isFromBroker: isFromBroker, bytes: encoder.bytes)
    }
}
