import BrokerModel
import PasteboardWire

/// Decodes bytes as a message of any type. A decoded message must be encoded to bytes that decode to the same message.
struct MessageScript {
    private let number: Int
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        let input = Choices(bytes)
        number = input.choice(Self.types.count)
        self.bytes = input.rest()
    }

    /// All messages. Seeds depend on the order, so new ones are added at the end.
    static let types: [any ProtobufMessage.Type] = [
        Hello.self, Welcome.self, Write.self, Item.self, Commit.self, Load.self, List.self, Clear.self, Status.self,
        Stop.self, Ask.self, Answer.self, Committed.self, Contents.self, StatusEntry.self, End.self, Failure.self,
        Cancel.self, Credit.self, Progress.self, Drag.self, Destination.self, Begin.self, Move.self, Drop.self,
        Performed.self, Conclude.self, Registered.self, Session.self, Update.self, Perform.self,
        Dropped.self, Transferred.self, Enter.self, Exit.self, Proposal.self, Representation.self,
        FileAttributes.self, Accept.self, PeerStatus.self, BoardStatus.self, LoadStatus.self,
        NamedNumber.self, SourceFailure.self, Location.self, SessionStatus.self, DestinationStatus.self,
        Origin.self, Inline.self, Watch.self, Change.self, CreateBoard.self, ContentTerms.self,
        ClosedPeer.self, ProcessStatus.self, SavedContents.self,
    ]

    func run() {
        decode(as: Self.types[number])
        // The same fields are also read in other ways.
        readLoad()
        readAsk()
        readAnswer()
    }

    private func decode<Message: ProtobufMessage>(as type: Message.Type) {
        let message: Message
        do throws(Failure) {
            message = try Message(decoding: bytes)
        } catch {
            check([.invalidArgument, .limitExceeded].contains(error.code), "a message is refused with \(error)")
            return
        }
        let encoded = message.encoded
        do throws(Failure) {
            let again = try Message(decoding: encoded)
            check(again == message, "\(message) changes if it is encoded: \(again)")
            check(again.encoded == encoded, "\(message) is encoded in two ways")
        } catch {
            fault("an encoded \(type) does not decode: \(error)")
        }
        guard let failure = message as? Failure else { return }
        check(failure.printable.text.isPrintable, "\(failure) is not printable")
    }

    // MARK: Fields that are read in place

    private func readLoad() {
        // A payload that is read as a plain load may still be malformed.
        guard let fields = LoadFields(plain: bytes.span), let load = try? Load(decoding: bytes) else { return }
        check(load.accepts.count == 1 && load.requires.isEmpty, "\(load) is not plain")
        let board = fields.board.map { String(decoding: bytes[$0], as: UTF8.self) }
        let type = String(decoding: bytes[fields.type], as: UTF8.self)
        check(
            fields.handle == load.handle && board == load.board && fields.item == load.item ?? 0
                && type == load.accepts[0].type && fields.maximumByteCount == load.maximumByteCount
                && fields.credit == load.credit ?? 0 && fields.descriptorWelcome == (load.descriptorWelcome ?? false)
                && fields.timeoutMilliseconds == load.timeoutMilliseconds
                && fields.inPlaceWelcome == (load.inPlaceWelcome ?? false),
            "\(fields) are not those of \(load)"
        )
    }

    private func readAsk() {
        let ask = try? Ask(decoding: bytes)
        let fields = try? AskFields(decoding: bytes.span, range: 0..<bytes.count)
        check((ask == nil) == (fields == nil), "an ask decodes only in one of two ways")
        guard let ask, let fields else { return }
        check(
            fields.handle == ask.handle ?? 0 && fields.item == ask.item ?? 0
                && fields.representation == ask.representation ?? 0 && fields.type(in: bytes.span) == ask.type
                && fields.credit == ask.credit ?? 0 && fields.descriptorWelcome == (ask.descriptorWelcome ?? false)
                && fields.firstByteMilliseconds == ask.firstByteMilliseconds
                && fields.inPlaceWelcome == (ask.inPlaceWelcome ?? false),
            "\(fields) are not those of \(ask)"
        )
    }

    private func readAnswer() {
        let answer = try? Answer(decoding: bytes)
        let fields = try? AnswerFields(decoding: bytes.span, range: 0..<bytes.count)
        check((answer == nil) == (fields == nil), "an answer decodes only in one of two ways")
        guard let answer, let fields else { return }
        check(Answer(fields, in: bytes.span) == answer, "\(fields) are not those of \(answer)")
    }
}

extension String {
    fileprivate var isPrintable: Bool { !unicodeScalars.contains { $0.isHarmful } }
}
