/// The program that a script names in its first line.
enum Interpreter {
    /// The type of a script, from its `#!` line; nil for other text and for unknown programs.
    static func scriptType(of text: Span<UInt8>) -> UniformType? {
        guard BytePattern.matches("'#!'", text) else { return nil }
        var line: [UInt8] = []
        var index = 2
        while index < text.count, index < 256, text[index] != UInt8(ascii: "\n") {
            line.append(text[index])
            index += 1
        }
        let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D })
        let names = words.compactMap { $0.split(separator: UInt8(ascii: "/")).last }
        // `#!/usr/bin/env -S NAME=VALUE python3 -u`: the program is the first word that is neither an option nor a
        // variable.
        let program = names.first { name in
            name != ArraySlice("env".utf8) && name.first != UInt8(ascii: "-") && !name.contains(UInt8(ascii: "="))
        }
        guard let program else { return nil }
        // The version in `python3.12` does not affect the type.
        let name = String(decoding: program.prefix { $0.foldedASCII &- 0x61 < 26 }, as: UTF8.self)
        return scripts.first { $0.program == name }.flatMap { UniformType($0.type) }
    }

    private static let scripts: [(program: String, type: String)] = [
        ("sh", "public.shell-script"), ("dash", "public.shell-script"), ("bash", "public.bash-script"),
        ("zsh", "public.zsh-script"), ("ksh", "public.ksh-script"), ("csh", "public.csh-script"),
        ("tcsh", "public.tcsh-script"), ("fish", "org.swift-pasteboard.fish-script"),
        ("python", "public.python-script"), ("perl", "public.perl-script"), ("ruby", "public.ruby-script"),
        ("php", "public.php-script"), ("node", "com.netscape.javascript-source"),
        ("nodejs", "com.netscape.javascript-source"), ("lua", "org.lua.lua-source"),
        ("make", "public.make-source"), ("pwsh", "org.swift-pasteboard.powershell-script"),
    ]
}
