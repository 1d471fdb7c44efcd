// Three cats with a table of toys each. A toy that is dragged to another cat has a new owner then, in this process and, in a
// move of two phases, in another one.
//
//     cat-toys [--keep] [--orphan CAT] [--toys CAT=TOY,TOY...] [--script FILE] [--patience SECONDS]
//
// The tables are called Tama, Mike and Kuro. With `--keep` toys do not leave the process: moves to others are not allowed.
// With `--orphan` there is nobody who changes what that cat has. `--toys` replaces what the cats have at the beginning, as
// `Tama=ball,mouse/Kuro=box`; a toy without a name cannot be dragged. A script is read from standard input, or a file.
// `Examples/README.md` has its steps and all lines that are printed; these are this program's own:
//
//     asked TOY                  somebody loads the name of a toy that was dragged away from here
//     moved TOY FROM TO          a toy has another owner, both of this process
//     arrived CAT TOY ORIGIN     a toy has come from another process, where it was ORIGIN's
//     left CAT TOY               a toy has gone to another process, with all of its name
//     lost CAT TOY               a toy was dropped on a cat that nobody could give it to: it stays where it was
//     unknown CAT TOY            something was dropped that has no origin: nothing changes
//     no toy CAT                 something was dropped that has no name
//     loaded nothing CAT         something was dropped, and its name or its origin could not be loaded
import SampleModels
import Stage

@main
enum Main {
    static func main() async {
        await Stage.main(
            "cat-toys",
            options: ["--toys", "--orphan"],
            switches: ["--keep"],
            usage: "[--keep] [--orphan CAT] [--toys CAT=TOY,TOY.../CAT=...]"
        ) { arguments, trace throws(StepError) in
            let toys = try arguments["--toys"].map(CatToysProgram.toys) ?? CatToys()
            if let orphan = arguments["--orphan"], !toys.cats.contains(orphan) {
                throw StepError("there is no cat \(orphan); there are \(toys.cats.joined(separator: ", "))")
            }
            return CatToysProgram(
                toys,
                allowsLeaving: !arguments.has("--keep"),
                orphan: arguments["--orphan"],
                trace: trace
            )
        }
    }
}
