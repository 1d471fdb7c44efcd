import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Every input in every state of a drag session.
@Suite("Drag sessions: every input in every state", .pure) struct SessionTableTests {
    enum Stage: Int, CaseIterable {
        /// The source writes the items; has committed them; has begun; is at the destination, which has not answered,
        /// or has answered in one of three ways.
        case writing, offered, nothing, asked, copy, move, refused
        /// Dropped as a move, with no load, with a load, or with a load and after the handler has returned; everything
        /// has arrived and the conclusion is missing; ended.
        case dropping, loading, finishing, awaiting, ended
    }

    enum Input: String, CaseIterable {
        case begin, move, away, nowhere, drop, commit, item, add, withdraw, sourceDies
        case sourceProposes, sourcePerforms, sourceEnds, sourceUnknown
        case propose, decline, proposeOld, proposeNew, exit, report, performed, refuse, conclude, concludeNot, leave
        case streamBegins, streamEnters, streamEnds, streamData, streamUnknown
        case shelfEnters, shelfExits, shelfProposes, unregister, destinationDies
        case load, sourceLoads, strangerLoads, give, fail
        case halfSecond, fiveSeconds, thirtySeconds, fiveMinutes, tenMinutes
    }

    /// The frames to source / destination. Each letter is a frame: `p`roposal, e`x`it, `d`ropped, `t`ransferred, `a`sk,
    /// `c`ancel, `e`nd, committed `k`, `s`ession, `i`tem, e`n`ter, `u`pdate, `P`erform, an answer `A` and `D`ata. A
    /// digit after the letter is the operation or the number of items, and `!` with a number is the code of an error.
    /// `V` is a violation, after which the peer is disconnected.
    private static let tracking = """
                         writing  offered  nothing  asked     copy      move      refused
        begin            V/-      -/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        move             V/-       V/-       -/sin     V/x!4     -/u       -/u       -/u
        away             V/-       V/-       p0/-      V/x!4     p0/x      p0/x      p0/x
        nowhere          V/-       V/-       p0!1/-    V/x!4     p0!1/x    p0!1/x    p0!1/x
        drop             V/-       V/-       d0e/-     V/x!4     d2/P2     d3/P3     d0e/xe
        commit           k/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        item             -/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        add              !3/-      ke/-      ke/-      ke/-      ke/-      ke/-      ke/-
        withdraw         -/-      -/-      -/-      -/xe      -/xe      -/xe      -/xe
        sourceDies       -/-      -/-      -/-      -/x!4     -/x!4     -/x!4     -/x!4
        sourceProposes   V/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        sourcePerforms   V/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        sourceEnds       V/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        sourceUnknown    !21/-    !21/-    !21/-    !21/xe    !21/xe    !21/xe    !21/xe
        propose          -/V      -/V      -/V      p2/-      -/-       -/-       -/-
        decline          -/V      -/V      -/V      p0/-      -/-       -/-       -/-
        proposeOld       -/V      -/V      -/V      -/-       -/-       -/-       -/-
        proposeNew       -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        exit             -/V      -/V      -/V      p0!18/-   x!18/-    x!18/-    x!18/-
        report           -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        performed        -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        refuse           -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        conclude         -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        concludeNot      -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        leave            -/V      -/V      -/V      p0!18/-   x!18/-    x!18/-    x!18/-
        streamBegins     -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        streamEnters     -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        streamEnds       -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        streamData       -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        streamUnknown    -/V      -/V      -/V      p0!18/!21 x!18/!21  x!18/!21  x!18/!21
        shelfEnters      -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        shelfExits       -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        shelfProposes    -/V      -/V      -/V      p0!8/V    x!8/V     x!8/V     x!8/V
        unregister       -/-      -/-      -/-      p0!8/e    x!8/e     x!8/e     x!8/e
        destinationDies  -/-      -/-      -/-      p0!8/e    x!8/e     x!8/e     x!8/e
        load             -/!3     -/!3     -/!3     -/!16     -/!16     -/!16     -/!16
        sourceLoads      !3/-     !16/-    !16/-    !16/-     !16/-     !16/-     !16/-
        strangerLoads    -/-/!3   -/-/!3   -/-/!3   -/-/!3    -/-/!3    -/-/!3    -/-/!3 
        give             V/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        fail             V/-      V/-      V/-      V/x!4     V/x!4     V/x!4     V/x!4
        halfSecond       -/-      -/-      -/-      p0!11/x   -/-       -/-       -/-
        fiveSeconds      -/-      -/-      -/-      p0!11/x   -/-       -/-       -/-
        thirtySeconds    !11/-    -/-      -/-      p0!11/x   -/-       -/-       -/-
        fiveMinutes      !11/-    -/-      -/-      p0!11/x   -/-       -/-       -/-
        tenMinutes       !11/-    !11/-    !11/-    !11/x!11  !11/x!11  !11/x!11  !11/x!11
        """

    private static let dropped = """
                         dropping     loading      finishing    awaiting     ended       
        begin            V/!4         V/!4!4       V/!4!4       V/!4         -/-
        move             V/!4         V/!4!4       V/!4!4       V/!4         -/-
        away             V/!4         V/!4!4       V/!4!4       V/!4         -/-
        nowhere          V/!4         V/!4!4       V/!4!4       V/!4         -/-
        drop             V/!4         V/!4!4       V/!4!4       V/!4         -/-
        commit           V/!4         V/!4!4       V/!4!4       V/!4         -/-
        item             V/!4         V/!4!4       V/!4!4       V/!4         -/-
        add              !3/-         !3/-         !3/-         !3/-         !3/-
        withdraw         -/!10        c/!10!4      c/!10!4      -/!10        -/-
        sourceDies       -/!4         -/!4!4       -/!4!4       -/!4         -/-
        sourceProposes   V/!4         V/!4!4       V/!4!4       V/!4         V/-
        sourcePerforms   V/!4         V/!4!4       V/!4!4       V/!4         V/-
        sourceEnds       V/!4         V/!4!4       V/!4!4       V/!4         V/-
        sourceUnknown    !21/!10      c!21/!10!4   c!21/!10!4   !21/!10      -/-
        propose          -/-          -/-          -/-          -/-          -/-
        decline          -/-          -/-          -/-          -/-          -/-
        proposeOld       -/-          -/-          -/-          -/-          -/-
        proposeNew       -/-          -/-          -/-          -/-          -/-
        exit             -/-          -/-          -/-          -/-          -/-
        report           -/-          -/-          -/-          -/-          -/-
        performed        e/e          -/-          -/-          -/-          -/-
        refuse           t0!18e/t0!18e -/-          -/-          t0!18e/t0!18e -/-
        conclude         e/e          -/-          -/-          t1e/t1e      -/-
        concludeNot      t0!18e/t0!18e -/-          -/-          t0!18e/t0!18e -/-
        leave            t0!10e/-     ct0!10e/!10  ct0!10e/!10  t0!10e/-     -/-
        streamBegins     t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        streamEnters     t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        streamEnds       t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        streamData       t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        streamUnknown    t0!10e/!21   ct0!10e/!10!21 ct0!10e/!10!21 t0!10e/!21   -/-
        shelfEnters      t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        shelfExits       t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        shelfProposes    t0!8e/V      ct0!8e/V     ct0!8e/V     t0!8e/V      -/V
        unregister       t0!8e/e      ct0!8e/e!8   ct0!8e/e!8   t0!8e/e      -/-
        destinationDies  t0!8e/e      ct0!8e/e!8   ct0!8e/e!8   t0!8e/e      -/-
        load             a/-          a/-          -/!16        -/!16        -/!3
        sourceLoads      !16/-        !16/-        !16/-        !16/-        !3/-
        strangerLoads    -/-/!3       -/-/!3       -/-/!3       -/-/!3       -/-/!3
        give             V/!4         -/AD         -/AD         -/-          -/-
        fail             V/!4         -/!5         t0!5e/!5t0!5e -/-          -/-
        halfSecond       -/-          -/-          -/-          -/-          -/-
        fiveSeconds      t0!11e/t0!11e -/-          -/-          -/-          -/-
        thirtySeconds    t0!11e/t0!11e c/!6         ct0!6e/!6t0!6e t0!11e/t0!11e -/-
        fiveMinutes      t0!11e/t0!11e c/!6         ct0!6e/!6t0!6e t0!11e/t0!11e -/-
        tenMinutes       t0!11e/t0!11e ct0!11e/!6t0!11e ct0!6e/!6t0!6e t0!11e/t0!11e -/-
        """

    private static func scene(_ stage: Stage) -> DragScene {
        var scene = DragScene(dropReports: true)
        if stage == .writing {
            scene.write()
        } else if stage.rawValue >= Stage.dropping.rawValue {
            scene.dropped(.move)
            if stage.rawValue >= Stage.loading.rawValue { scene.load() }
            if stage.rawValue >= Stage.finishing.rawValue { scene.performed() }
            scene.forget()
            if stage.rawValue >= Stage.awaiting.rawValue { scene.give() }
            if stage == .ended { scene.conclude() }
        } else if stage == .offered {
            scene.offer()
        } else {
            scene.begin { $0.movesBetweenProcesses = true }
            if stage.rawValue >= Stage.asked.rawValue { scene.move() }
            _ = scene.framesToDestination()
            switch stage {
            case .copy: scene.propose(.copy)
            case .move: scene.propose(.move)
            case .refused: scene.propose(.cancel)
            default: break
            }
        }
        scene.forget()
        return scene
    }

    private static func perform(_ input: Input, _ scene: inout DragScene, _ stranger: PeerID) {
        let (source, destination, drag, stream) = (scene.source, scene.destination, scene.drag, scene.destinationStream)
        func raw(_ kind: FrameKind, on stream: UInt64, from peer: PeerID, _ scene: inout DragScene) {
            scene.broker.raw(kind: kind.rawValue, on: stream, from: peer)
        }
        switch input {
        case .begin: raw(.begin, on: drag, from: source, &scene)
        case .move: scene.move()
        case .away: scene.move(to: nil)
        case .nowhere: scene.move(to: "nowhere")
        case .drop: scene.drop()
        case .commit: scene.broker.commit(1, on: drag, from: source)
        case .item: scene.broker.send(Item("public.png"), on: drag, from: source)
        case .add: scene.add()
        case .withdraw: raw(.cancel, on: drag, from: source, &scene)
        case .sourceDies: scene.broker.disconnect(source)
        case .sourceProposes: raw(.proposal, on: drag, from: source, &scene)
        case .sourcePerforms: raw(.performed, on: drag, from: source, &scene)
        case .sourceEnds: raw(.end, on: drag, from: source, &scene)
        case .sourceUnknown: scene.broker.raw(kind: 99, flags: 2, on: drag, from: source)
        case .propose: scene.propose(.copy)
        case .decline: scene.propose(.copy) { $0.cannotHandle = true }
        case .proposeOld: scene.broker.propose(.copy, to: 0, on: stream, from: destination)
        case .proposeNew: scene.broker.propose(.copy, to: scene.sequence + 1, on: stream, from: destination)
        case .exit: raw(.exit, on: stream, from: destination, &scene)
        case .report: raw(.progress, on: stream, from: destination, &scene)
        case .performed: scene.performed()
        case .refuse: scene.performed([], Failure(.sourceFailed, "no"))
        case .conclude: scene.conclude()
        case .concludeNot: scene.conclude([], Failure(.noSpace, "no"))
        case .leave: raw(.cancel, on: stream, from: destination, &scene)
        case .streamBegins: raw(.begin, on: stream, from: destination, &scene)
        case .streamEnters: raw(.enter, on: stream, from: destination, &scene)
        case .streamEnds: raw(.end, on: stream, from: destination, &scene)
        case .streamData: raw(.data, on: stream, from: destination, &scene)
        case .streamUnknown: scene.broker.raw(kind: 99, flags: 2, on: stream, from: destination)
        case .shelfEnters: raw(.enter, on: scene.shelf, from: destination, &scene)
        case .shelfExits: raw(.exit, on: scene.shelf, from: destination, &scene)
        case .shelfProposes: raw(.proposal, on: scene.shelf, from: destination, &scene)
        case .unregister: raw(.cancel, on: scene.shelf, from: destination, &scene)
        case .destinationDies: scene.broker.disconnect(destination)
        case .load: scene.load()
        case .sourceLoads: scene.broker.load(from: source) { [handle = scene.handle] in $0.handle = handle }
        case .strangerLoads: scene.broker.load(from: stranger) { [handle = scene.handle] in $0.handle = handle }
        case .give: scene.give()
        case .fail: scene.broker.send(Failure(.sourceFailed, "no"), on: scene.ask, from: source)
        case .halfSecond: scene.broker.advance(by: 500)
        case .fiveSeconds: scene.broker.advance(by: 5_000)
        case .thirtySeconds: scene.broker.advance(by: 30_000)
        case .fiveMinutes: scene.broker.advance(by: 300_000)
        case .tenMinutes: scene.broker.advance(by: 600_000)
        }
    }

    private static func outcome(_ peer: PeerID, _ scene: inout DragScene) -> String {
        let frames = scene.broker.take(peer)
        if scene.broker.closed.contains(peer) { return "V" }
        return frames.map(\.shorthand).joined()
    }

    @Test(
        "Each input has one outcome for both sides in each state, keeps the invariants and leaves no trace",
        arguments: Input.allCases
    )
    func outcomes(_ input: Input) throws {
        var actual: [String] = []
        for stage in Stage.allCases {
            var scene = Self.scene(stage)
            let stranger = scene.broker.connect("stranger")
            Self.perform(input, &scene, stranger)
            let frames = [Self.outcome(scene.source, &scene), Self.outcome(scene.destination, &scene)]
            let third = Self.outcome(stranger, &scene)
            actual.append(
                frames.map { $0.isEmpty ? "-" : $0 }.joined(separator: "/") + (third.isEmpty ? "" : "/" + third)
            )
            let broken = scene.broker.brokenInvariants()
            #expect(broken.isEmpty, "\(input) while \(stage): \(broken.joined(separator: "; "))")
            for peer in [scene.source, scene.destination, stranger] { scene.broker.disconnect(peer) }
            #expect(scene.broker.held == .nothing, "\(input) while \(stage)")
        }
        let expected = Self.row(input, of: Self.tracking) + Self.row(input, of: Self.dropped)
        #expect(actual == expected, "\(input): \(actual.joined(separator: "  "))")
    }

    private static func row(_ input: Input, of table: String) -> [String] {
        for line in table.split(separator: "\n") {
            let cells = line.split(separator: " ").map(String.init)
            if cells.first == input.rawValue { return Array(cells.dropFirst()) }
        }
        return []
    }
}

extension Frame {
    /// The frame in the notation of `SessionTableTests`.
    fileprivate var shorthand: String {
        switch kind {
        case .error: "!\(code?.rawValue ?? 0)"
        case .proposal:
            "p\(decode(Proposal.self).operation?.rawValue ?? 9)"
                + Self.shorthand(decode(Proposal.self).refusal)
        case .exit: "x" + Self.shorthand(decode(Exit.self).refusal)
        case .dropped: "d\(decode(Dropped.self).operation?.rawValue ?? 9)"
        case .transferred:
            "t\(decode(Transferred.self).items.count)" + Self.shorthand(decode(Transferred.self).failure)
        case .perform: "P\(decode(Perform.self).operation?.rawValue ?? 9)"
        case .ask: "a"
        case .cancel: "c"
        case .end: "e"
        case .committed: "k"
        case .session: "s"
        case .item: "i"
        case .enter: "n"
        case .update: "u"
        case .answer: "A"
        case .data: "D"
        default: "\(kind)"
        }
    }

    private static func shorthand(_ failure: Failure?) -> String { failure.map { "!\($0.code.rawValue)" } ?? "" }
}
