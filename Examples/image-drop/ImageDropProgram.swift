import FoundationEssentials
import Glibc
import PasteboardCompatibility
import PasteboardKit
import SampleModels
import Stage

/// The views of `image-drop`: one by default.
@MainActor
final class ImageDropProgram: StageProgram {
    let surfaces: [Surface]
    private let views: [ImageDropView]

    init(views labels: [String?], picture: Picture?, trace: TraceLog) {
        views = labels.map { ImageDropView($0, picture: picture, trace: trace) }
        surfaces = views.map { Surface($0.label, $0.view, show: $0.show) }
    }

    func perform(_ step: Step, on surface: Surface) throws(StepError) {
        guard let view = views.first(where: { $0.view === surface.view }) else { return }
        switch step {
        case .enable(let isOn): view.imageView.isUserInteractionEnabled = isOn
        case .image(let file): view.replace(by: try file.map(Self.picture))
        default: throw unknown(step)
        }
    }

    /// Reads an image file. Its name determines the type.
    static func picture(in file: String) throws(StepError) -> Picture {
        let url = URL(filePath: file)
        guard let type = UniformType(filenameExtension: url.pathExtension), type.conforms(to: .image) else {
            throw StepError("\(file) is no image by its name, as one.png is")
        }
        guard access(file, R_OK) == 0 else {
            throw StepError("the image \(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let data = try? Data(contentsOf: url) else {
            throw StepError("the image \(file) cannot be read: it is no file")
        }
        return Picture(data, type: type)
    }
}
