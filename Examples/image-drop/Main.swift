// A view with a frame that holds a picture. The picture can be dragged out of it, and another one dropped into it.
//
//     image-drop [--image FILE | --empty] [--views NAME,NAME...] [--script FILE] [--timeout SECONDS]
//
// The view is 100 by 100, the frame 60 by 60 in its middle. A script is read from standard input or from a file.
// `Examples/README.md` lists its steps and all printed lines. The following lines are specific to this program:
//
//     feedback X,Y inside|outside   the feedback for a session at this point: at each update, and at the drop
//     will-end OP, did-end OP       the drag that began here was dropped or cancelled
//     perform N                     N items were dropped
//     shown TYPE BYTES              the picture in the frame, at each change
//     shown nothing                 the frame is empty
//     loaded nothing                a dropped item could not be loaded
//     conclude                      the drop was performed; its loads continue
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
