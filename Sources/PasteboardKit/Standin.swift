import FoundationEssentials
import PasteboardClient

func utf8Text(of data: Data, type: UniformType) throws(PasteboardError) -> Data { data }
extension SafeFileName { static func component(_ name: String) -> String { name } }
