extension FileSignature {
    /// The signatures. A special case precedes the more general signature.
    static let all: [FileSignature] = [
        // Images.
        .init("89 'PNG' 0D 0A 1A 0A", "public.png"),
        .init("FF D8 FF", "public.jpeg"),
        .init("'GIF87a'", "com.compuserve.gif"),
        .init("'GIF89a'", "com.compuserve.gif"),
        .init("'RIFF' .. .. .. .. 'WEBP'", "org.webmproject.webp"),
        .init("'II' 2A 00", "public.tiff", .tiff),
        .init("'MM' 00 2A", "public.tiff", .tiff),
        .init("'BM' .. .. .. .. 00 00 00 00", "com.microsoft.bmp"),
        // The images of an icon directly follow its directory. Without this check, small numbers would match, too.
        .init("00 00 01 00 01 00 @18 16 00 00 00", "com.microsoft.ico"),
        .init("00 00 01 00 02 00 @18 26 00 00 00", "com.microsoft.ico"),
        .init("00 00 01 00 03 00 @18 36 00 00 00", "com.microsoft.ico"),
        .init("00 00 01 00 04 00 @18 46 00 00 00", "com.microsoft.ico"),
        .init("'8BPS' 00 01", "com.adobe.photoshop-image"),
        .init("'icns'", "com.apple.icns"),
        .init("76 2F 31 01", "com.ilm.openexr-image"),
        .init("00 00 00 0C 'JXL ' 0D 0A 87 0A", "public.jpeg-xl"),
        .init("00 00 00 0C 'jP  ' 0D 0A 87 0A", "public.jpeg-2000"),

        // The ISO base media file format, by its brand.
        .init("@4 'ftypheic'", "public.heic", .baseMedia),
        .init("@4 'ftypheix'", "public.heic", .baseMedia),
        .init("@4 'ftyphevc'", "public.heics", .baseMedia),
        .init("@4 'ftypmif1'", "public.heif", .baseMedia),
        .init("@4 'ftypavif'", "public.avif", .baseMedia),
        .init("@4 'ftypavis'", "public.avif", .baseMedia),
        .init("@4 'ftypqt  '", "com.apple.quicktime-movie", .baseMedia),
        .init("@4 'ftypM4A '", "com.apple.m4a-audio", .baseMedia),
        .init("@4 'ftypM4V '", "com.apple.m4v-video", .baseMedia),
        .init("@4 'ftyp3gp'", "public.3gpp", .baseMedia),
        .init("@4 'ftyp3g2'", "public.3gpp2", .baseMedia),
        .init("@4 'ftypcrx '", "public.camera-raw-image", .baseMedia),
        .init("@4 'ftyp'", "public.mpeg-4", .baseMedia),

        // Sound and movies.
        .init("'RIFF' .. .. .. .. 'WAVE'", "com.microsoft.waveform-audio"),
        .init("'RIFF' .. .. .. .. 'AVI '", "public.avi"),
        .init("'OggS' @28 'OpusHead'", "org.xiph.opus", .ogg),
        .init("'OggS' @28 80 'theora'", "org.xiph.ogv", .ogg),
        .init("'OggS'", "org.xiph.ogg-audio", .ogg),
        .init("'fLaC'", "org.xiph.flac"),
        .init("'ID3'", "public.mp3", .id3),
        .init("'MThd' 00 00 00 06", "public.midi-audio"),
        .init("'FORM' .. .. .. .. 'AIFF'", "public.aiff-audio"),
        .init("'FORM' .. .. .. .. 'AIFC'", "public.aifc-audio"),
        .init("'caff' 00 01", "com.apple.coreaudio-format"),
        .init("'#!AMR' 0A", "org.3gpp.adaptive-multi-rate-audio"),
        .init("1A 45 DF A3 @24 'webm'", "org.webmproject.webm", .matroska),
        .init("1A 45 DF A3 @31 'webm'", "org.webmproject.webm", .matroska),
        .init("1A 45 DF A3", "org.matroska.mkv", .matroska),
        .init("'FLV' 01", "com.adobe.flash.video"),
        .init("00 00 01 BA", "public.mpeg"),
        .init("'G' @188 'G' @376 'G'", "public.mpeg-2-transport-stream"),

        // Documents.
        .init("'%PDF-'", "com.adobe.pdf", isText: true),
        .init("'%!PS'", "com.adobe.postscript", .postScript, isText: true),
        .init("'{\\rtf'", "public.rtf", isText: true),
        .init("'bplist0'", "com.apple.binary-property-list", .propertyList),
        .init("'SQLite format 3' 00", "org.swift-pasteboard.sqlite-database", .sqlite),

        // Archives. A document that is an archive begins with its MIME type.
        .init("'PK' 03 04 @30 'mimetypeapplication/epub+zip'", "org.idpf.epub-container", .zip),
        .init(
            "'PK' 03 04 @30 'mimetypeapplication/vnd.oasis.opendocument.text'",
            "org.oasis-open.opendocument.text",
            .zip
        ),
        .init(
            "'PK' 03 04 @30 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet'",
            "org.oasis-open.opendocument.spreadsheet",
            .zip
        ),
        .init(
            "'PK' 03 04 @30 'mimetypeapplication/vnd.oasis.opendocument.presentation'",
            "org.oasis-open.opendocument.presentation",
            .zip
        ),
        .init("'PK' 03 04", "public.zip-archive", .zip),
        .init("'PK' 05 06", "public.zip-archive", .zip),
        .init("1F 8B 08", "org.gnu.gnu-zip-archive", .gzip),
        .init("'BZh' .. '1AY&SY'", "public.bzip2-archive", .bzip2),
        .init("FD '7zXZ' 00", "org.tukaani.xz-archive", .xz),
        .init("28 B5 2F FD", "com.facebook.zstandard-archive", .zstandard),
        .init("'7z' BC AF 27 1C", "org.7-zip.7-zip-archive"),
        .init("@257 'ustar'", "public.tar-archive", .tar),
        .init("'xar!' 00", "com.apple.xar-archive"),
        .init("'MSCF' 00 00 00 00", "com.microsoft.cab"),
        .init("00 @74 00 @82 00 @102 'mBIN'", "com.apple.macbinary-archive"),

        // Programs and fonts.
        .init("7F 'ELF'", "public.elf-binary", .executable),
        .init("'MZ' 90 00 03 00", "com.microsoft.windows-executable", .executable),
        .init("'OTTO' 00", "public.opentype-font"),
        .init("'ttcf' 00", "public.truetype-collection-font"),
    ]

    /// Types whose files have a signature of a family, although the types do not conform to the signature's type.
    static let relatives: [(type: String, family: Family)] = [
        ("org.openxmlformats.openxml", .zip), ("org.oasis-open.opendocument", .zip),
        ("com.pixar.universal-scene-description-mobile", .zip),
        ("public.svg-image", .gzip), ("com.apple.scenekit.scene", .gzip),
        ("org.tukaani.tar-xz-archive", .xz), ("org.gnu.gnu-tar-archive", .tar),
        ("com.adobe.raw-image", .tiff), ("public.camera-raw-image", .tiff),
        ("public.object-code", .executable), ("com.microsoft.windows-dynamic-link-library", .executable),
        ("com.adobe.illustrator.ai-image", .postScript),
        // Any sound file may begin with such tags.
        ("public.audio", .id3),
    ]
}
