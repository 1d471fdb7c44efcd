// A view with a frame that holds a picture: drag the picture out of it, drop another one into it.
//
//     image-drop [--image FILE | --empty] [--views NAME,NAME...] [--script FILE] [--patience SECONDS]
//
// The view is 100 by 100, the frame 60 by 60 in its middle. A script is read from standard input, or a file.
// `Examples/README.md` has its steps and all lines that are printed; these are this program's own:
//
//     feedback X,Y inside|outside   what is shown for a session at this point: at each update, and at the drop
//     will-end OP, did-end OP       the drag that began here was let go
//     perform N                     something was dropped, and has N items
//     shown TYPE BYTES              the picture in the frame, at each change
//     shown nothing                 there is none
//     loaded nothing                something was dropped, and could not be loaded
//     conclude                      the drop was performed; its loads go on
import SampleModels
import Stage

@main
enum Main {
    static func main() async {
        await Stage.main(
            "image-drop",
            options: ["--image", "--views"],
            switches: ["--empty"],
            usage: "[--image FILE | --empty] [--views NAME,NAME...]"
        ) { arguments, trace throws(StepError) in
            let picture = try arguments["--image"].map(ImageDropProgram.picture) ?? .pixel
            return ImageDropProgram(
                views: try arguments.names("--views"),
                picture: arguments.has("--empty") ? nil : picture,
                trace: trace
            )
        }
    }
}
