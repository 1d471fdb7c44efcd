// Two tables, a van and a shelf. What is dropped on one of them arrives in its own time: rows of the table itself move, what
// is in this process is handed over, and everything else has a placeholder until its bytes have come, or never come.
//
//     placeholders [--van PARCEL,PARCEL...] [--script FILE] [--patience SECONDS]
//
// The tables are called van and shelf. A parcel is plain, slow, until the script says `release NAME` or `break NAME`, or failing. `--van` is
// what is in the van at the beginning, as `letter,slow crate,failing vase`; the shelf is empty. A script is read from
// standard input, or a file. `Examples/README.md` has its steps and all lines that are printed; these are this program's own:
//
//     asked NAME                 somebody loads a parcel of this program
//     abandoned NAME             nobody wants it any more
//     moved FROM TO NAME         a row of the table itself was dropped
//     moved nothing              a row of the table was dropped, but rows have changed since it was picked up
//     inserted ROW NAME          a parcel of this process was handed over, or the script has inserted it
//     waiting NAME               a placeholder stands there
//     progress PERCENT NAME      so much of the load is done, says its source
//     committed ROW NAME         the parcel is in the placeholder's place
//     deleted NAME WHY           the placeholder has gone, because the load has failed with this code
//     gone NAME                  the bytes have come, and the placeholder was not there any more
//     removed ROW NAME           the script has removed a row
import SampleModels
import Stage

@main
enum Main {
    static func main() async {
        await Stage.main("placeholders", options: ["--van"], usage: "[--van PARCEL,PARCEL...]") {
            arguments,
            trace throws(StepError) in
            let van = arguments["--van"]?.split(separator: ",").map { Parcel(String($0)) }
            return PlaceholdersProgram(van: van.map(ParcelShelf.init) ?? .van, trace: trace)
        }
    }
}
