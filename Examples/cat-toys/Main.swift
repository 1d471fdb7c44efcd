// Three cats with a table of toys each. A toy that is dragged to another cat changes its owner, in this process or, by
// a move of two phases, in another process.
//
//     cat-toys [--keep] [--orphan CAT] [--toys CAT=TOY,TOY...] [--script FILE] [--timeout SECONDS]
//
// The tables are called Tama, Mike and Kuro. With `--keep` toys do not leave the process: other processes may not move
// them. With `--orphan` a cat's table has no owner that could change the model. `--toys` replaces the initial toys, as
// in `Tama=ball,mouse/Kuro=box`; a toy without a name cannot be dragged. A script is read from standard input or from a
// file. `Examples/README.md` lists its steps and all printed lines. The following lines are specific to this program:
//
//     asked TOY                  the name of a toy that was dragged from here is being loaded
//     moved TOY FROM TO          a toy has moved between two cats of this process
//     arrived CAT TOY ORIGIN     a toy of the cat ORIGIN has arrived from another process
//     left CAT TOY               a toy, with all of the same name, has moved to another process
//     lost CAT TOY               a toy was dropped on a cat without an owner: it stays at its source
//     unknown CAT TOY            an item without an origin was dropped: nothing changes
//     no toy CAT                 an item without a name was dropped
//     loaded nothing CAT         the name or the origin of a dropped item could not be loaded
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
            if let orphan = arguments["--orphan"], !CatToys.cats.contains(orphan) {
                throw StepError("there is no cat \(orphan); there are \(CatToys.cats.joined(separator: ", "))")
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
