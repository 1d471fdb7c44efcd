/// The code that takes the inputs. Each target has a folder of inputs in `Corpora`.
enum FuzzTarget: String, CaseIterable {
    /// The decoder of frames.
    case frames
    /// The decoders of all messages.
    case messages
    /// The state of a broker with hostile peers.
    case broker
    /// The state of a client with a hostile broker.
    case client
    /// The parsers of the command line, and the texts that it shows.
    case arguments
    /// Names and contents from other programs: types, file names, and the MIME database.
    case types
    /// The bytes of display servers, and the names of the desktop.
    case display

    func run(_ bytes: [UInt8]) {
        switch self {
        case .frames: FrameScript(bytes).run()
        case .messages: MessageScript(bytes).run()
        case .broker:
            var script = BrokerScript(bytes)
            script.run()
        case .client:
            var script = ClientScript(bytes)
            script.run()
        case .arguments: ArgumentScript(bytes).run()
        case .types: TypeScript(bytes).run()
        case .display: DisplayScript(bytes).run()
        }
    }
}
