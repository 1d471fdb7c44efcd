public import PasteboardKit

/// A program that scripts can be played on: the tables or views it has, and what its model can do.
@MainActor
public protocol StageProgram: AnyObject {
    /// What drags begin in. There is at least one.
    var surfaces: [Surface] { get }
    /// Prints what is shown on a surface.
    func show(_ surface: Surface)
    /// Takes one of the steps that concern the model: `insert`, `remove`, `peek`, `release`, `break`, `advance`, `stop`, `image`, and,
    /// if the surface is no table, `enable`.
    ///
    /// - Throws: if the program has no such step, or there is nothing that it is about.
    func take(_ step: Step, on surface: Surface) throws(StepError)
    /// A drag is over: what is left to be done by who has begun it, before the line that says what it has come to.
    func settle(_ drag: Drag) async
}

extension StageProgram {
    /// What a program throws that has no such step.
    public func unknown(_ step: Step) -> StepError {
        StepError("this step is of another program: this one has nothing to do for it")
    }

    /// Most have nothing to do.
    public func settle(_ drag: Drag) async {}
}
