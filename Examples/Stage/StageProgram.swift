public import PasteboardKit

/// A program on which scripts can be played: its tables or views, and the steps that its model supports.
@MainActor
public protocol StageProgram: AnyObject {
    /// The tables or views in which drags begin. There is at least one.
    var surfaces: [Surface] { get }
    /// Performs one of the steps that concern the model: `insert`, `remove`, `peek`, `release`, `break`, `advance`,
    /// `stop`, `image`, and, if the surface is not a table, `enable`.
    ///
    /// - Throws: if the program does not support the step, or if its subject does not exist.
    func perform(_ step: Step, on surface: Surface) throws(StepError)
    /// Finishes the work of the source after a drag has ended, before the line with the outcome is printed.
    func finish(_ drag: Drag) async
}

extension StageProgram {
    /// The error for a step that the program does not support.
    public func unknown(_ step: Step) -> StepError {
        StepError("this step is of another program: this one has nothing to do for it")
    }

    /// Does nothing.
    public func finish(_ drag: Drag) async {}
}
