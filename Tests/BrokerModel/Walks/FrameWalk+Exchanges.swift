import BrokerState
import PasteboardWire

// Several frames that belong together, as correct clients send them. Without them few inputs would reach the later
// phases of loads and drag sessions.
extension FrameWalk {
    /// Writes one item to a board, with the bytes of its kept representations if they are few.
    mutating func publish(_ index: Int) {
        send(.write, as: index)
        continueWrite(index)
    }

    mutating func drag(_ index: Int) {
        send(.drag, as: index)
        continueWrite(index)
        guard let stream = peers.indices.contains(index) ? peers[index].own.last : nil else { return }
        send(.begin, [], on: stream, as: index)
    }

    /// Watches, creates or removes a board, or lets the peer read the changes of boards.
    mutating func useBoards(_ index: Int) {
        switch maker.input.choice(6) {
        case 0: send(.createBoard, [], on: open(index), as: index)
        case 1: send(.clear, maker.removal().encoded, on: open(index), as: index)
        case 2: broker.continueChanges(for: peers[index].id, pieces: 1)
        default: send(.watch, maker.watch().encoded, on: open(index), as: index)
        }
    }

    mutating func continueWrite(_ index: Int) {
        guard let stream = peers[index].own.last else { return }
        let item = maker.item()
        let bytes = item.encoded
        // Many items make lists and loads of restricted contents expensive.
        let copies = maker.input.choice(8) == 0 ? Int(maker.input.number() & 0x1FF) : 0
        for _ in 0...copies { send(.item, bytes, on: stream, as: index) }
        for representation in item.representations where representation.provision == .kept && copies == 0 {
            let count = min(representation.byteCount ?? 3, 1_000)
            send(.data, [UInt8](repeating: 7, count: Int(count)), flags: .last, on: stream, as: index)
        }
        send(.commit, [], on: stream, as: index)
    }

    /// Answers the ask that a peer has received last with a few bytes.
    mutating func serve(_ index: Int) {
        guard let ask = peers[index].heard.last else { return }
        let form = maker.input.byte()
        let count = Int(form >> 4)
        if form & 1 != 0 {
            var answer = Answer()
            answer.byteCount = UInt64(count)
            send(.answer, answer.encoded, on: ask, as: index)
        }
        if form & 2 != 0 { send(.data, [UInt8](repeating: 7, count: count / 2), on: ask, as: index) }
        let rest = form & 2 == 0 ? count : count - count / 2
        send(.data, [UInt8](repeating: 7, count: rest), flags: form & 4 == 0 ? .last : .none, on: ask, as: index)
        if form & 4 != 0 { send(.end, [], on: ask, as: index) }
    }

    // MARK: A whole drag and drop

    private enum DropStep: Int, CaseIterable {
        case register, drag, move, propose, drop, load, serve, perform, conclude
    }

    /// Drags an item from one peer to another, without the steps that the input omits. A seed omits one step of eight,
    /// and makes half of the drags and destinations plain, so that they fit each other.
    mutating func drop(from source: PeerID, at destination: PeerID) {
        let omitted = (0..<(maker.input.isInput ? 1 : 3)).reduce(UInt16.max) { mask, _ in
            mask & (UInt16(maker.input.byte()) | UInt16(maker.input.byte()) << 8)
        }
        let (name, isPlain) = (maker.destinationName(), !maker.input.isInput && maker.input.flag())
        var session: UInt64 = 0
        for step in DropStep.allCases where omitted & 1 << UInt16(step.rawValue) == 0 {
            listen()
            guard let from = peers.firstIndex(where: { $0.id == source }),
                let to = peers.firstIndex(where: { $0.id == destination })
            else { return }
            switch step {
            case .register:
                var destination = isPlain ? Destination() : maker.destination(named: name)
                destination.name = name
                send(.destination, destination.encoded, on: open(to), as: to)
            case .drag:
                if isPlain { dragText(from) } else { drag(from) }
                session = peers.indices.contains(from) ? peers[from].own.last ?? 0 : 0
            case .move: send(.move, maker.move(to: name).encoded, on: session, as: from)
            case .propose: propose(to)
            case .drop: send(.drop, [], on: session, as: from)
            case .load:
                var load = Load()
                load.handle = maker.handles.last
                load.credit = 100
                load.descriptorWelcome = maker.input.flag()
                send(.load, load.encoded, on: open(to), as: to)
            case .serve: serve(from)
            case .perform: if let question = peers[to].question { send(.performed, on: question.stream, as: to) }
            case .conclude: if let question = peers[to].question { send(.conclude, on: question.stream, as: to) }
            }
        }
    }

    private mutating func dragText(_ index: Int) {
        let stream = open(index)
        send(.drag, Drag().encoded, on: stream, as: index)
        send(.item, Item("public.utf8-plain-text").encoded, on: stream, as: index)
        send(.commit, [], on: stream, as: index)
        send(.begin, [], on: stream, as: index)
    }

    mutating func propose(_ index: Int) {
        guard let question = peers[index].question else { return }
        var proposal = Proposal()
        proposal.sequence = question.sequence
        proposal.operation = DropOperation(rawValue: UInt32(2 + maker.input.choice(3)))
        send(.proposal, proposal.encoded, on: question.stream, as: index)
    }
}
