/// A program that scripts can be played on: the tables or views it has, and what its model can do.
@MainActor
public protocol StageProgram: AnyObject {
    /// What drags begin in. There is at least one.
    var surfaces: [Surface] { get }
    /// Prints what is shown on a surface.
    func show(_ surface: Surface)
    /// Takes one of the steps that concern the model: `insert`, `remove`, `release`, `stop`, `image`, and, if the surface is
    /// no table, `enable`.
    ///
    /// - Throws: if the program has no such step, or there is nothing that it is about.
    func take(_ step: Step, on surface: Surface) throws(StepError)
}

extension StageProgram {
    /// What a program throws that has no such step.
    public func unknown(_ step: Step) -> StepError {
        StepError("this program has nothing to do for it")
    }
}
