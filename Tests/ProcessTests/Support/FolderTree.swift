import TestSupport
import Testing

/// A tree with every kind of file that a home directory has, and a description of it by the system's programs.
struct FolderTree {
    private static let script = #"""
        umask 022
        mkdir -p tree/sub/deeper tree/empty tree/closed tree/pipes
        bad=$(printf 'na\377me')
        echo bytes >"tree/$bad"
        mkdir "tree/sub/d$bad"
        for name in -rf --help '*' ' sp ' 'back\slash' 'a\101' '\n' .hidden "$(printf 'new\nline')" "$(printf 't\tb')" 日本 \
            "$(printf '%0200d' 1)"; do
            printf %s "$name" >"tree/sub/$name"
        done
        head -c 300000 /dev/urandom >tree/large
        : >tree/nothing
        ln -s sub/deeper tree/link
        ln -s "/nowhere/$bad" tree/dangling
        ln -s ../../.. tree/up
        ln tree/large tree/hard
        echo 1 >tree/closed/file
        mkfifo tree/pipes/pipe
        chmod 600 tree/large; chmod 444 tree/nothing; chmod 750 tree/sub/-rf; chmod 4755 "tree/sub/*"; chmod 700 tree/empty
        chmod 2750 tree/sub/deeper
        touch -d '2001-02-03 04:05:06.123456789' tree/large "tree/sub/d$bad" tree/empty
        touch -h -d '1969-01-02 03:04:05' tree/link
        touch -d '2011-02-03 04:05:06.987654321' tree/closed tree/pipes tree/sub tree
        chmod 555 tree/closed
        [ "$(id -u)" != 0 ] || { mkdir tree/shut; chmod 0 tree/shut "tree/$bad"; }
        touch -d '2011-02-03 04:05:06.987654321' tree
        """#

    /// A script that prints all names, modes (without set-user-id and similar bits), times, links and contents, except
    /// for pipes and sockets.
    private static let description = #"""
        cd "$1" && {
            find . -type d -printf 'd %m %T@ %P\0' -o -type l -printf 'l %T@ %l %P\0' \
                -o -type f -printf 'f %m %T@ %n %s %P\0' |
                sed -z -E 's/^([df]) [2467]([0-7]{3}) /\1 \2 /' | sort -z
            find . -type f -exec sha256sum -z {} + | sort -z
        }
        """#

    /// Makes `tree` in a desk's directory.
    init(at desk: Desk) throws {
        let made = try desk.shell(Self.script)
        try #require(made.exitCode == 0, "\(made.errorText)")
    }

    static func description(of path: String, at desk: Desk) throws -> [UInt8] {
        let described = try desk.shell("set -- '\(path)'; \(Self.description)")
        try #require(described.exitCode == 0 && described.output.count > 2_000, "\(described.errorText)")
        return described.output
    }
}
