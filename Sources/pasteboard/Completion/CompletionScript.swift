/// The script by which a shell completes command lines: a few lines that ask this program.
struct CompletionScript {
    let shell: String
    /// The file below a prefix that the shell reads.
    let path: String
    let text: String

    static let all = [bash, zsh, fish]

    /// `bash, zsh or fish`
    static var shells: String {
        let names = all.map(\.shell)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    // Readline replaces only the part of a word after '=' and ':'.
    private static let bash = Self(
        shell: "bash",
        path: "share/bash-completion/completions/pasteboard",
        text: #"""
            # Completions of pasteboard for bash
            _pasteboard() {
                local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words kind word
                read -a words <<<"$line"
                [[ $line == *[[:space:]] ]] && words+=("")
                local last=${words[-1]##*[=:]}
                local head=${words[-1]%"$last"}
                COMPREPLY=()
                {
                    IFS= read -r kind
                    case $kind in
                        files | values) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$last") ;;
                        directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$last") ;;
                        programs) mapfile -t COMPREPLY < <(compgen -c -- "$last") ;;
                        *) while IFS=$'\t' read -r word _; do
                            [[ $word == *= ]] && compopt -o nospace
                            printf -v word %q "${word#"$head"}"
                            COMPREPLY+=("$word")
                        done ;;
                    esac
                } < <(pasteboard complete -- "${words[@]:1}" 2>/dev/null)
            }
            complete -F _pasteboard pasteboard

            """#
    )

    private static let zsh = Self(
        shell: "zsh",
        path: "share/zsh/site-functions/_pasteboard",
        text: #"""
            #compdef pasteboard
            # Completions of pasteboard for zsh
            _pasteboard() {
                local -a lines suffix
                lines=("${(@f)$(pasteboard complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
                local kind=$lines[1]
                shift lines
                case $kind in
                    files) _files ;;
                    values) compset -P 1 '*='; _files ;;
                    directories) _files -/ ;;
                    programs) _command_names -e ;;
                    *)
                        [[ $lines[1] == *=(|$'\t'*) ]] && suffix=(-S '')
                        lines=("${(@)${(@)lines//:/\\:}/$'\t'/:}")
                        _describe pasteboard lines "$suffix[@]" ;;
                esac
            }
            if [ "$funcstack[1]" = _pasteboard ]; then _pasteboard; else compdef _pasteboard pasteboard; fi

            """#
    )

    private static let fish = Self(
        shell: "fish",
        path: "share/fish/vendor_completions.d/pasteboard.fish",
        text: #"""
            # Completions of pasteboard for fish
            function __pasteboard_complete
                set -l word (commandline -ct)
                set -l words (commandline -opc) "$word"
                set -e words[1]
                set -l lines (pasteboard complete -- $words 2>/dev/null)
                set -l kind $lines[1]
                set -e lines[1]
                switch "$kind"
                    case files
                        __fish_complete_path "$word"
                    case values
                        set -l parts (string split -m 1 = -- "$word")
                        for file in (__fish_complete_path $parts[2])
                            echo "$parts[1]=$file"
                        end
                    case directories
                        __fish_complete_directories "$word"
                    case programs
                        complete -C "$word"
                    case '*'
                        printf '%s\n' $lines
                end
            end
            complete -c pasteboard -f -a '(__pasteboard_complete)'

            """#
    )
}
