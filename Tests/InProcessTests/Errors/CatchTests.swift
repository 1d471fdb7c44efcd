import PasteboardKit
import TestSupport
import Testing

/// Error codes as patterns in all places where errors can be caught.
@Suite(.inProcess)
struct CatchTests {
    private struct Other: Error {}

    private func typed(_ code: PasteboardError.Code) throws(PasteboardError) {
        throw PasteboardError(code, message: "typed")
    }

    private func untyped(_ error: any Error) throws {
        throw error
    }

    @Test("a code can be caught by its name alone where only errors of the library are thrown")
    func byName() {
        func name(_ code: PasteboardError.Code) -> String {
            do {
                try typed(code)
                return "nothing"
            } catch .cancelled {
                return "cancelled"
            } catch .brokerUnavailable {
                return "no broker"
            } catch {
                return error.message
            }
        }
        #expect([.cancelled, .brokerUnavailable, .timeout].map(name) == ["cancelled", "no broker", "typed"])
    }

    @Test("a code can be caught where any error is thrown, and in closures")
    func inAnyContext() {
        let name: (any Error) -> String = { error in
            do {
                try untyped(error)
                return "nothing"
            } catch PasteboardError.Code.cancelled {
                return "cancelled"
            } catch {
                return "\(error)"
            }
        }
        #expect(name(PasteboardError(.cancelled, message: "")) == "cancelled")
        #expect(name(PasteboardError(.timeout, message: "late")) == "late")
        #expect(name(Other()) == "Other()")
        let inferred = [PasteboardError.Code.cancelled, .timeout].map { code in
            do {
                try typed(code)
                return "nothing"
            } catch PasteboardError.Code.cancelled {
                return "cancelled"
            } catch {
                return "\(error)"
            }
        }
        #expect(inferred == ["cancelled", "typed"])
    }

    @Test("a switch over an error of any static type accepts codes as patterns")
    func inSwitch() {
        func name(_ error: any Error) -> String {
            switch error {
            case PasteboardError.Code.cancelled: "cancelled"
            case PasteboardError.Code.timeout, PasteboardError.Code.sourceStalled: "late"
            default: "other"
            }
        }
        func known(_ error: PasteboardError) -> String {
            switch error {
            case PasteboardError.Code.cancelled: "cancelled"
            default: "other"
            }
        }
        #expect(name(PasteboardError(.cancelled, message: "")) == "cancelled")
        #expect(name(PasteboardError(.sourceStalled, message: "")) == "late")
        #expect(name(Other()) == "other")
        #expect(known(PasteboardError(.cancelled, message: "")) == "cancelled")
        if case PasteboardError.Code.cancelled = PasteboardError(.timeout, message: "") { Issue.record("matched") }
    }
}
