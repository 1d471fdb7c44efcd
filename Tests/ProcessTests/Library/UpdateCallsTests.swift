import TestSupport
import Testing

/// The script that rewrites the calls of programs.
@Suite(.processes) struct UpdateCallsTests {
    @Test("update-calls rewrites calls of before, and prints what it cannot rewrite")
    func rewritten() throws {
        let desk = try Desk()
        let result = try desk.shell(
            """
            cat > a.swift <<'END'
            import PasteboardKit
            let loaded = try await item.loadData(for: .png, timeout: .seconds(5), isAutomatic: true)
            show(loaded.value)
            let named = try await item.loadData(for: .image)
            show(named.value, named.type)
            for try await chunk in try await item.loadBytes(for: type(of: item), progress: progress).value {}
            let text = try await item.loadObject(ofClass: String.self, timeout: nil)
            for text in try await session.loadObjects(ofClass: String.self) { show(text) }
            session.loadObjects(ofClass: String.self) { texts in show(texts) }
            guard item.canLoadObject(ofClass: String.self), try await board.hasTypes([.url]) else { return }
            try await board.hasTypes([.url, .png])
            try await drag.move(to: DropLocation("desk"), waitingUpTo: .seconds(1))
            switch try await publication.ended() { default: await publication.run(drain: .zero) }
            limits.watchesPerProcess = 1; limits.metadataPerSession = 2; limits.keepAlive = .zero
            END
            '\(Document.root)/Sources/PasteboardKit/update-calls' a.swift && cat a.swift
            """
        )
        #expect(result.errorText == "")
        #expect(
            result.text == """
                a.swift:12: canLoad(_:) takes one type
                import PasteboardCompatibility
                import PasteboardKit
                let loaded = try await item.loadData(for: .png, options: LoadOptions(timeout: .seconds(5), isAutomatic: true))
                show(loaded)
                let named = try await item.loadData(forFirstOf: [.image], preferring: .reader)
                show(named.value, named.type)
                for try await chunk in try await item.loadBytes(for: type(of: item), progress: progress) {}
                let text = try await item.load(String.self, options: LoadOptions(timeout: nil))
                for text in try await session.load(String.self) { show(text) }
                session.loadObjects(ofClass: String.self) { texts in show(texts) }
                guard item.canLoad(String.self), try await board.canLoad(.url) else { return }
                try await board.hasTypes([.url, .png])
                try await drag.move(to: DropLocation("desk"), destinationTimeout: .seconds(1))
                switch try await publication.outcome() { default: await publication.run(drainTimeout: .zero) }
                limits.watchCountPerProcess = 1; limits.metadataBytesPerSession = 2; limits.keepAliveTime = .zero

                """
        )
    }
}
