"""The structure of Swift code, as far as the script `rename` needs it."""
import re


class Failure(Exception):
    """A text that the script cannot read."""

    def __init__(self, text, position, message):
        self.line = text.count("\n", 0, position) + 1
        self.message = message


class Brace:
    """A pair of braces. `head` is the position of the statement or declaration before it, `kind` a result of `kind`."""

    def __init__(self, start, head, kind):
        self.start, self.head, self.kind, self.end = start, head, kind, None


REGEX = r"#/(?:.|\n)*?/#|(?<=[(\[,=:{ ])/(?![ /*])(?:\\.|\[(?:\\.|[^]\\\n])*\]|[^/\\\n])+(?<! )/"
DIRECTIVE = r"^([ \t]*)#(?:if|elseif|else|endif)\b.*$"


class Masking:
    """Finds the code in a text: `mask` has blanks for all else, `is_string` says what belongs to strings."""

    def __init__(self, text):
        self.text, self.characters, self.is_string = text, list(text), [False] * len(text)
        self.code(0, is_interpolation=False)
        # A condition of compilation ends a statement.
        self.mask = re.sub(
            DIRECTIVE, lambda match: (match[1] + ";").ljust(len(match[0])), "".join(self.characters), flags=re.M
        )

    def blank(self, start, end, is_string):
        end = min(end, len(self.text))
        self.characters[start:end] = " " * (end - start)
        self.is_string[start:end] = [is_string] * (end - start)

    def code(self, position, is_interpolation):
        """Reads code up to its end, or up to the bracket after an interpolation."""
        text, depth = self.text, 0
        while position < len(text):
            end = position
            if text.startswith("//", position):
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
                self.blank(position, end, False)
            elif text.startswith("/*", position):
                end = self.comment(position)
                self.blank(position, end, False)
            elif quote := re.compile(r'(#*)("""|")').match(text, position):
                end = self.literal(position, quote[1], quote[2])
            elif pattern := re.compile(REGEX).match(text, position):
                end = pattern.end()
                self.blank(position, end, True)
            elif is_interpolation and text[position] == ")" and depth == 0:
                return position
            else:
                depth += (text[position] == "(") - (text[position] == ")")
                end += 1
            position = end
        return position

    def comment(self, start):
        end, depth = start + 2, 1
        while depth:
            mark = re.compile(r"/\*|\*/").search(self.text, end)
            if not mark:
                raise Failure(self.text, start, "a comment is not closed")
            end, depth = mark.end(), depth + (1 if mark[0] == "/*" else -1)
        return end

    def literal(self, start, hashes, quote):
        text, position = self.text, start + len(hashes) + len(quote)
        self.blank(start, position, True)
        while not text.startswith(quote + hashes, position):
            if position >= len(text) or quote == '"' and text[position] == "\n":
                raise Failure(text, start, "a string is not closed")
            if text.startswith("\\" + hashes + "(", position):
                self.blank(position, position + 1 + len(hashes), True)
                position = self.code(position + len(hashes) + 2, is_interpolation=True) + 1
            else:
                end = position + (len(hashes) + 2 if text.startswith("\\" + hashes, position) else 1)
                self.blank(position, end, True)
                position = end
        end = position + len(quote) + len(hashes)
        self.blank(position, end, True)
        self.characters[start] = self.characters[end - 1] = '"'
        return end


class Code:
    """A text, with blanks in `mask` in place of its comments and strings, and with its brackets."""

    OPERATOR = "[-+*/%=<>&|?:^!]"
    # After these signs and words begins an expression.
    BEGIN = re.compile(
        r"[,;]|(?<=\s)(?:[-+*/%&|^]|\?\?)?=(?=\s)|(?<!\s):(?=\s)|"
        r"(?<![\w.`])(?:return|if|guard|while|in|switch|throw|where|case|else|do|yield|repeat|let|var)\b(?![:`])"
    )
    CONTINUES = re.compile(
        r"\.(?!\.)|[)\],{]|(?:\|\||&&|\?\??|:|==|!=|[<>]=?|->|=|\+|-|\*|/)\s|(?:else|where|async|throws|catch)\b"
    )
    MODIFIERS = r"(?:@\w+(?:\([^()]*\))?\s*|[a-z]+(?:\(\w+\))?\s+)*?"

    def __init__(self, text):
        self.text = text
        first = re.search(r"\r?\n", text)
        self.newline = first[0] if first else "\n"  # for lines that are added
        masking = Masking(text)
        self.mask, self.is_string = masking.mask, masking.is_string
        self.partner, self.braces, self.ends = {}, {}, {}
        stack = []
        for match in re.finditer(r"[][(){}]", self.mask):
            position, character = match.start(), match[0]
            if character in "([{":
                if character == "{":
                    head = self.statement(position, stack[-1] if stack else -1)
                    self.braces[position] = Brace(position, head, self.kind(head, position, stack))
                stack.append(position)
                continue
            if not stack or "([{".index(self.mask[stack[-1]]) != ")]}".index(character):
                raise Failure(text, position, f"'{character}' closes no bracket")
            start = stack.pop()
            self.partner[start], self.partner[position] = position, start
            if character == "}":
                self.braces[start].end = position
        if stack:
            raise Failure(text, stack[-1], f"'{self.mask[stack[-1]]}' is not closed")

    def ends_statement(self, newline):
        """Whether the statement ends with a line."""
        if newline not in self.ends:
            self.ends[newline] = self.is_end(newline)
        return self.ends[newline]

    def is_end(self, newline):
        last, first = newline - 1, newline
        while last >= 0 and self.mask[last].isspace():
            last -= 1
        while first < len(self.mask) and self.mask[first].isspace():
            first += 1
        if last < 0 or first == len(self.mask):
            return True
        if self.mask[last] in ",(" or re.search(rf"\s{self.OPERATOR}+$", self.mask[max(0, last - 11):last + 1]):
            return False
        return not self.CONTINUES.match(self.mask, first)

    def statement(self, position, opening):
        """The start of the statement that contains a position at the level of a bracket."""
        return self.start(position, opening, None)

    def expression(self, position, opening):
        """The start of the expression that contains a position at the level of a bracket."""
        return self.start(position, opening, self.BEGIN)

    def start(self, position, opening, beginning):
        start = index = opening + 1
        has_statements = opening < 0 or self.mask[opening] == "{"
        while index < position:
            character = self.mask[index]
            if character in "([{" and self.partner.get(index, position) < position:
                brace = self.braces.get(index)
                index = self.partner[index] + 1
                if brace and brace.kind != "closure":
                    start = index
            elif has_statements and (character == ";" or character == "\n" and self.ends_statement(index)):
                start = index = index + 1
            elif beginning and (match := beginning.match(self.mask, index)):
                start = index = match.end()
            else:
                index += 1
        return start + len(self.mask[start:position]) - len(self.mask[start:position].lstrip())

    def expression_end(self, position, opening, ends_at_choice=False):
        """The end of the expression that contains a position at the level of a bracket."""
        has_statements = opening < 0 or self.mask[opening] == "{"
        index = position
        while index < len(self.mask):
            character = self.mask[index]
            if character in ")]},;" or has_statements and character == "\n" and self.ends_statement(index):
                break
            if character == "{" and self.braces[index].kind != "closure":
                break
            if re.compile(r"(?<!\w)else\b").match(self.mask, index):
                break
            if ends_at_choice and re.compile(r"(?<=\s)[?:](?=\s)").match(self.mask, index):
                break
            index = self.partner[index] + 1 if character in "([{" else index + 1
        return position + len(self.mask[position:index].rstrip())

    def kind(self, head, position, stack):
        """What braces contain.

        "type", "function", "init", "getter" of a property without the word `get`, "accessors", "get", "set" or another
        part that cannot wait, "defer", "block" of a statement, or "closure".
        """
        if stack and self.mask[stack[-1]] != "{":
            return "closure"
        label = r"^(?:(?:case\b[^:]*|default)\s*:|\w+\s*:(?=\s*(?:for|while|repeat|do)\b))\s*"
        text = re.sub(label, "", self.mask[head:position].strip())
        if re.match(rf"{self.MODIFIERS}(?:class|struct|enum|extension|protocol|actor)\s+\w", text):
            return "type"
        if re.match(rf"{self.MODIFIERS}func\b", text):
            return "function"
        if re.match(rf"{self.MODIFIERS}init\b[?!<(\s]", text):
            return "init"
        if re.match(r"(?:\w+\s+)*get\b(?!\.)", text):
            return "get"
        if re.match(r"(?:\w+\s+)?(?:set|willSet|didSet|_modify|deinit)\b\s*(?:\(\w+\))?$", text):
            return "set"
        if re.match(rf"{self.MODIFIERS}(?:var|subscript)\b", text):
            accessor = re.compile(r"\s*(?:@\w+\s+|\w+\s+)??(get|set|willSet|didSet|_read|_modify)\b")
            first = accessor.match(self.mask, position + 1)
            if re.search(r"\s=(?:\s|$)", text) and not (first and first[1] in ("willSet", "didSet")):
                return "closure"
            return "accessors" if first else "getter"
        if re.match(r"defer\b", text):
            return "defer"
        if re.match(r"(?:if|else|guard|for|while|do|catch|switch|repeat)\b|$", text):
            return "block"
        return "block" if re.search(r"(?:=|\breturn)\s*(?:if|switch)\b[^{]*$", text) else "closure"

    def opening(self, position):
        """The bracket around a position; -1 if there is none."""
        index = position - 1
        while index >= 0:
            if self.mask[index] in ")]}":
                index = self.partner[index]
            elif self.mask[index] in "([{":
                return index
            index -= 1
        return -1

    def around(self, position):
        """The braces around a position, the innermost first."""
        found = [brace for brace in self.braces.values() if brace.start < position <= brace.end]
        return sorted(found, key=lambda brace: -brace.start)

    def type(self, position):
        """The name of the type around a position."""
        for brace in self.around(position):
            if brace.kind == "type":
                head = self.mask[brace.head:brace.start]
                return re.search(r"(?:class|struct|enum|extension|protocol|actor)\s+([\w.]+)", head)[1].split(".")[-1]
        return None

    def after(self, position):
        """The position after the arguments, or after the closure of a call, that begin at a position, if there are any."""
        if self.mask.startswith("(", position):
            return self.partner[position] + 1
        is_closure = self.mask.startswith("{", position) and self.braces[position].kind == "closure"
        return self.partner[position] + 1 if is_closure else position

    def edited(self, edits):
        """The text after edits, each of which is a position, a length and a replacement."""
        text = self.text
        for position, length, new in sorted(edits, key=lambda edit: -edit[0]):
            text = text[:position] + new + text[position + length:]
        return Code(text)

    def replaced(self, pattern, new, is_code=True):
        """The text with the matches of a pattern replaced, outside of strings and comments, or of strings only."""
        edits = []
        for match in re.finditer(pattern, self.mask if is_code else self.text, re.M):
            if is_code or not self.is_string[match.start()]:
                original = re.compile(pattern, re.M).match(self.text, match.start()) or match
                edits.append((match.start(), len(match[0]), new(original) if callable(new) else original.expand(new)))
        return self.edited(edits) if edits else self
