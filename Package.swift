// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]

/// For the modules that decode untrusted bytes: every unsafe construct has to be marked.
let pureSettings = settings + [.strictMemorySafety()]

// In the order of dependency: each target imports only targets above it, as `.ci/shape` checks.
let package = Package(
    name: "swift-pasteboard",
    products: [
        .library(name: "PasteboardKit", targets: ["PasteboardKit"]),
        .library(name: "PasteboardCompatibility", targets: ["PasteboardCompatibility"]),
        .library(name: "PasteboardBlocking", targets: ["PasteboardBlocking"]),
        .library(name: "TableDragAndDrop", targets: ["TableDragAndDrop"]),
        .library(name: "PasteboardBroker", targets: ["PasteboardBroker"]),
        .library(name: "TypeIdentifiers", targets: ["TypeIdentifiers"]),
        .executable(name: "pasteboardd", targets: ["pasteboardd"]),
        .executable(name: "pasteboard", targets: ["pasteboard"]),
    ],
    targets: [
        .target(name: "TypeIdentifiers", exclude: ["Table"], swiftSettings: pureSettings),
        .target(
            name: "PasteboardWire",
            dependencies: ["TypeIdentifiers"],
            exclude: ["pasteboard.proto", "frame-kinds.tsv"],
            swiftSettings: pureSettings
        ),

        .target(name: "CPasteboardSystem"),
        .target(
            name: "PasteboardTransport",
            dependencies: ["PasteboardWire", "CPasteboardSystem"],
            swiftSettings: settings
        ),

        .target(
            name: "BrokerState",
            dependencies: ["PasteboardWire", "TypeIdentifiers"],
            swiftSettings: pureSettings
        ),
        .target(
            name: "BrokerLoop",
            dependencies: ["BrokerState", "PasteboardTransport", "PasteboardWire"],
            swiftSettings: settings
        ),
        .target(
            name: "PasteboardClient",
            dependencies: ["PasteboardTransport", "PasteboardWire", "TypeIdentifiers"],
            swiftSettings: settings
        ),
        .target(
            name: "DesktopClipboard",
            dependencies: ["PasteboardClient", "PasteboardTransport", "PasteboardWire", "TypeIdentifiers"],
            swiftSettings: settings
        ),
        .target(
            name: "PasteboardKit",
            dependencies: ["PasteboardClient", "PasteboardTransport", "PasteboardWire", "TypeIdentifiers"],
            exclude: ["update-calls"],
            swiftSettings: settings
        ),
        .target(
            name: "PasteboardBroker",
            dependencies: ["PasteboardKit", "BrokerLoop", "BrokerState", "PasteboardTransport", "PasteboardWire"],
            swiftSettings: settings
        ),

        .target(
            name: "PasteboardCompatibility",
            dependencies: ["PasteboardKit", "PasteboardTransport", "TypeIdentifiers"],
            swiftSettings: settings
        ),
        .target(
            name: "PasteboardBlocking",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            swiftSettings: settings
        ),
        .target(
            name: "TableDragAndDrop",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "pasteboardd",
            dependencies: ["BrokerLoop"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "pasteboard",
            dependencies: [
                "DesktopClipboard", "PasteboardClient", "BrokerLoop", "PasteboardTransport", "PasteboardWire",
                "TypeIdentifiers",
            ],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "pasteboard-bench",
            dependencies: [
                "PasteboardKit", "BlockingClient", "PasteboardClient", "PasteboardTransport", "PasteboardWire",
            ],
            exclude: ["floor.c"],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "hello-source",
            dependencies: ["PasteboardKit"],
            path: "Examples/hello-source",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "hello-destination",
            dependencies: ["PasteboardKit"],
            path: "Examples/hello-destination",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "hello-drag",
            dependencies: ["PasteboardKit"],
            path: "Examples/hello-drag",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "hello-drop",
            dependencies: ["PasteboardKit"],
            path: "Examples/hello-drop",
            swiftSettings: settings
        ),
        .target(
            name: "PlacesModel",
            dependencies: ["PasteboardKit"],
            path: "Examples/PlacesModel",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "places-source",
            dependencies: ["PasteboardCompatibility", "PasteboardKit", "PlacesModel"],
            path: "Examples/places-source",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "places-target",
            dependencies: ["PasteboardKit", "PlacesModel"],
            path: "Examples/places-target",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "custom-type-source",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/custom-type-source",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "custom-type-destination",
            dependencies: ["PasteboardKit"],
            path: "Examples/custom-type-destination",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "transferable-value",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/transferable-value",
            swiftSettings: settings
        ),

        .target(
            name: "AppleNames",
            dependencies: ["TableDragAndDrop", "PasteboardBlocking", "PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/AppleNames",
            swiftSettings: settings
        ),

        .target(name: "TerminalTable", path: "Examples/TerminalTable", swiftSettings: settings),

        .target(
            name: "Stage",
            dependencies: ["TableDragAndDrop", "PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/Stage",
            swiftSettings: settings
        ),
        .target(
            name: "SampleModels",
            dependencies: ["TableDragAndDrop", "PasteboardKit"],
            path: "Examples/SampleModels",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "places",
            dependencies: [
                "SampleModels", "Stage", "TerminalTable", "TableDragAndDrop", "PasteboardCompatibility",
                "PasteboardKit",
            ],
            path: "Examples/places",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "image-drop",
            dependencies: ["SampleModels", "Stage", "TableDragAndDrop", "PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/image-drop",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "cat-toys",
            dependencies: ["SampleModels", "Stage", "TableDragAndDrop", "PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/cat-toys",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "placeholders",
            dependencies: ["SampleModels", "Stage", "TableDragAndDrop", "PasteboardCompatibility", "PasteboardKit"],
            path: "Examples/placeholders",
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: [
                "BrokerLoop", "BrokerState", "PasteboardClient", "PasteboardTransport", "PasteboardWire",
                "TypeIdentifiers",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "BlockingClient",
            dependencies: ["PasteboardClient", "PasteboardTransport", "PasteboardWire"],
            path: "Tests/BlockingClient",
            swiftSettings: settings
        ),
        .target(
            name: "ProtocolVectors",
            dependencies: ["PasteboardWire"],
            path: "Tests/ProtocolVectors",
            exclude: ["Exchanges", "frames.hex"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "pasteboard-conformance",
            dependencies: ["PasteboardTransport", "PasteboardWire", "ProtocolVectors"],
            path: "Tests/Conformance",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "test-peer",
            dependencies: [
                "BlockingClient", "PasteboardClient", "PasteboardTransport", "PasteboardWire", "TypeIdentifiers",
            ],
            path: "Tests/TestPeer",
            swiftSettings: settings
        ),
        // Compiled like a program outside of this package, without the upcoming features.
        .target(
            name: "PortedPrograms",
            dependencies: ["PasteboardBlocking", "PasteboardCompatibility", "TableDragAndDrop"],
            path: "Tests/PortedPrograms",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // Compiled like a program outside of this package whose default isolation is the main actor.
        .target(
            name: "IsolatedPrograms",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            path: "Tests/IsolatedPrograms",
            swiftSettings: [
                .treatAllWarnings(as: .error), .enableUpcomingFeature("InternalImportsByDefault"),
                .defaultIsolation(MainActor.self),
            ]
        ),
        // Compiled like a program outside of this package whose default isolation is the main actor.
        .executableTarget(
            name: "blocking-peer",
            dependencies: ["PasteboardBlocking"],
            path: "Tests/BlockingPeer",
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]
        ),
        .executableTarget(
            name: "library-peer",
            dependencies: ["PasteboardCompatibility", "PasteboardKit"],
            path: "Tests/LibraryPeer",
            swiftSettings: settings
        ),
        .executableTarget(name: "dead-file-system", path: "Tests/DeadFileSystem"),
        .target(
            name: "BrokerModel",
            dependencies: ["BrokerState", "PasteboardWire"],
            path: "Tests/BrokerModel",
            swiftSettings: settings
        ),
        // `Arguments` and `Output` are links to folders of the command line, because no program can import another one.
        .executableTarget(
            name: "pasteboard-fuzz",
            dependencies: [
                "BrokerModel", "BrokerState", "DesktopClipboard", "PasteboardClient", "PasteboardTransport",
                "PasteboardWire", "TypeIdentifiers",
            ],
            path: "Tests/Fuzz",
            exclude: ["Corpora"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TypeIdentifiersTests",
            dependencies: ["TypeIdentifiers", "TestSupport"],
            exclude: ["Resources"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasteboardWireTests",
            dependencies: ["PasteboardWire", "ProtocolVectors", "TestSupport"],
            exclude: ["Resources"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasteboardTransportTests",
            dependencies: ["PasteboardTransport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BrokerStateTests",
            dependencies: ["BrokerModel", "BrokerState", "ProtocolVectors", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BrokerLoopTests",
            dependencies: ["BrokerLoop", "BrokerState", "PasteboardTransport", "PasteboardWire", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasteboardClientTests",
            dependencies: [
                "BlockingClient", "PasteboardClient", "PasteboardTransport", "PasteboardWire", "TestSupport",
                "TypeIdentifiers",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DesktopClipboardTests",
            dependencies: [
                "DesktopClipboard", "PasteboardClient", "PasteboardTransport", "PasteboardWire", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasteboardKitTests",
            dependencies: [
                "PasteboardKit", "PasteboardClient", "PasteboardTransport", "PasteboardWire", "TypeIdentifiers",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TableDragAndDropTests",
            dependencies: [
                "TableDragAndDrop", "PasteboardCompatibility", "PasteboardKit", "TypeIdentifiers", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "InProcessTests",
            dependencies: [
                "TableDragAndDrop", "PasteboardBlocking", "PasteboardCompatibility", "PasteboardKit",
                "PasteboardBroker", "PasteboardClient", "BrokerLoop", "BrokerState", "PasteboardTransport",
                "PasteboardWire",
                "TypeIdentifiers", "BlockingClient", "TestSupport",
                "PortedPrograms", "IsolatedPrograms", "AppleNames",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "pasteboard", "PasteboardClient", "PasteboardTransport", "PasteboardWire", "TestSupport",
                "TypeIdentifiers",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "PasteboardKit", "BlockingClient", "PasteboardClient", "PasteboardTransport", "PasteboardWire",
                "TestSupport", "TypeIdentifiers", "pasteboard", "pasteboardd", "pasteboard-conformance", "hello-source",
                "hello-destination", "hello-drag", "hello-drop", "places-source", "places-target", "custom-type-source",
                "custom-type-destination", "transferable-value", "places", "image-drop",
                "cat-toys", "placeholders", "dead-file-system", "test-peer", "library-peer", "blocking-peer",
                "pasteboard-fuzz",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
