// Two tables, a van and a shelf. Rows of the table itself move, items of this process are handed over, and all other
// items have a placeholder until their bytes have arrived or the load has failed.
//
//     placeholders [--van PARCEL,PARCEL...] [--script FILE] [--timeout SECONDS]
//
// The tables are called van and shelf. A parcel is plain, slow or failing. A slow parcel waits for the step `release
// NAME` or `break NAME`. `--van` sets the initial contents of the van, as in `letter,slow crate,failing vase`; the
// shelf is empty. A script is read from standard input or from a file. `Examples/README.md` lists its steps and all
// printed lines. The following lines are specific to this program:
//
//     asked NAME                 a parcel of this program is being loaded
//     abandoned NAME             the load of a parcel was cancelled
//     moved FROM TO NAME         a row of the table itself was dropped
//     moved nothing              a row of the table was dropped, but rows have changed since it was dragged
//     inserted ROW NAME          a parcel of this process was handed over, or the script has inserted it
//     waiting NAME               a placeholder is shown
//     progress PERCENT NAME      the source has reported the progress of the load
//     committed ROW NAME         the parcel has replaced the placeholder
//     deleted NAME WHY           the placeholder was removed because the load has failed with this code
//     gone NAME                  the bytes have arrived, but the placeholder no longer existed
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
