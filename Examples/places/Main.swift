// A table of places that is a drag source and a drop destination. Run two of them to drag rows from one to the other.
//
//     places [--policy strict|permissive] [--tables NAME,NAME...] [--only drag|drop] [--script FILE]
//            [--timeout SECONDS]
//
// With `--only` the tables are only sources or only destinations. A script is read from standard input or from a file.
// `Examples/README.md` lists its steps and all printed lines. The following lines are specific to this program:
//
//     asked NAME                 a name that was dragged from here is being loaded
//     can-move ROW               the table asks whether a row may be moved within it
//     moved FROM TO NAME         a row was moved within the table
//     moved nothing              a row of the table was dropped, but rows have changed since it was dragged
//     inserted ROW NAME          a row was inserted
//     loaded nothing             none of the dropped items could be loaded
//     peeked NAME                the script has loaded an item outside of a drop, which should not be possible
//     peeked nothing WHY         the script could not load it, with this code
//     removed ROW NAME           the script has removed a row
//
// In a terminal a user drags with keys:
//
//     places --interactive [--policy strict|permissive] [--as NAME] [--slow SECONDS]
import SampleModels
import Stage

@main
enum Main {
    static func main() async {
        let isHelp = ["--help", "-h"].contains(where: CommandLine.arguments.dropFirst().contains)
        if CommandLine.arguments.contains("--interactive"), !isHelp { await Interactive.main() }
        await Stage.main(
            "places",
            options: ["--policy", "--tables", "--only"],
            usage: "[--policy strict|permissive] [--tables NAME,NAME...]\n       [--only drag|drop]",
            help: Interactive.help,
            hint: "places: for a table with keys, run `places --interactive`\n"
        ) { arguments, trace throws(StepError) in
            PlacesProgram(
                try policy(arguments),
                tables: try arguments.names("--tables"),
                only: try arguments["--only"].map(role),
                trace: trace
            )
        }
    }

    private static func role(_ name: String) throws(StepError) -> PlacesTable.Role {
        guard let role = PlacesTable.Role(rawValue: name) else {
            throw StepError("tables are only for drag, or only for drop, and not for \(name)")
        }
        return role
    }

    static func policy(_ arguments: StageArguments) throws(StepError) -> PlaceAcceptance.Policy {
        let name = arguments["--policy"] ?? PlaceAcceptance.Policy.strict.rawValue
        guard let policy = PlaceAcceptance.Policy(rawValue: name) else {
            throw StepError("there is no policy \(name); there are strict and permissive")
        }
        return policy
    }
}
