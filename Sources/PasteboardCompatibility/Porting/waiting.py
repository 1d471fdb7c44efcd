"""The pasteboard calls of a Swift file, and what has to wait for them."""
import re

# Members of a pasteboard that call the broker.
CALLS = [
    "declareTypes", "addTypes", "setString", "setData", "setPropertyList", "setValue", "clearContents", "writeObjects",
    "string", "strings", "url", "urls", "data", "propertyList", "types", "availableType", "canReadItem",
    "canReadObject", "readObjects", "pasteboardItems", "hasStrings", "hasURLs", "hasImages", "contains",
    "numberOfItems", "changeCount", "setItems", "setItemProviders", "setObjects", "itemProviders", "releaseGlobally",
]
# Closures that can wait.
WAITING_CLOSURES = r"\b(?:Task(?:\.detached)?|addTask|async let|await)\b"
# Functions that a protocol declares without `async`, and operators, whose uses the script does not find.
FIXED = re.compile(
    r"\bfunc\s+(?:(dragInteraction|dropInteraction|tableView|pasteboardChangedOwner)\b"
    r"|(hash)\s*\(\s*into\b[^)]*\bHasher\b|(encode)\s*\(\s*to\b[^)]*\bEncoder\b|([-+*/%=<>&|^!~?.]+)(?=\s*[(<]))"
    r"|\b(init)\b[?!]?\s*\(\s*from\b[^)]*\bDecoder\b"
)
# Functions whose arguments are evaluated later, without waiting.
AUTOCLOSURES = r"(?:XCT\w+|assert|precondition)"


def names(code, types, makers):
    """The names of the values of some types, for a pattern."""
    found = re.findall(rf"\b(\w+)\s*:\s*(?:inout\s+)?(?:{types})\b", code.mask)
    found += re.findall(rf"\b(?:let|var)\s+(\w+)\s*=\s*(?:try\s+)?(?:await\s+)?(?:{makers})", code.mask)
    return "|".join(sorted(map(re.escape, set(found))))


def pasteboards(code):
    """A pattern for the pasteboards in the file."""
    made = r"(?:(?:NS|UI)Pasteboard\.general\b|(?:NS|UI)Pasteboard(?:\.withUniqueName)?"
    made += r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[?!]?)"
    declared = names(code, "(?:NS|UI)Pasteboard(?!\\.)", made + r"(?!\s*[.?])")
    named = "|".join(filter(None, ["pasteboard", declared]))
    return rf"(?<![\w.)\]])(?:(?:\w+[?!]?\.)*(?:{named})\b[?!]?|{made})"


def items(code):
    """A pattern for the names of items that are read."""
    declared = names(code, "NSPasteboardItem", r"[^\n=]*\.pasteboardItems[?!]?(?:\.(?:first|last)\b|\[)")
    looped = re.findall(r"\bfor\s+(\w+)\s+in\s+[^\n{]*\.pasteboardItems\b", code.mask)
    return "|".join(filter(None, [declared, *map(re.escape, sorted(set(looped)))]))


class Waiting:
    """The calls of a file that wait.

    `scopes` are the functions, initialisers and getters that have to wait for them, whose uses are calls, too. `stuck`
    are the calls at places that cannot wait. `notes` has the advice for calls that need an edit by hand.
    """

    def __init__(self, code):
        self.code = code
        self.functions = set()  # the type's name, the function's name or `init`, the labels of its arguments
        self.properties = set()  # the type's name, the property's name
        self.subscripts = set()  # the type's name
        self.calls, self.scopes, self.stuck, self.notes = set(), {}, set(), {}
        board, item = pasteboards(code), items(code)
        pattern = rf"{board}\s*\.\s*(?:{'|'.join(CALLS)})\b|\b(?:NS|UI)Pasteboard\.(?:withUniqueName|remove)\("
        if item:
            pattern += rf"|(?<![\w.])(?:{item})[?!]?\.(?:string|data|propertyList)\(forType:"
        found = list(re.finditer(pattern, code.mask))
        while found:
            for match in found:
                self.calls.add(match.start())
                self.contain(match.start())
            found = [match for match in self.uses() if match.start() not in self.calls]
        for type in self.subscripts:
            self.note_subscripts(type)

    def contain(self, position):
        """Finds the function that has to wait for a call."""
        code = self.code
        opening = code.opening(position)
        while opening >= 0 and code.mask[opening] != "{":
            if re.search(rf"(?<![\w.]){AUTOCLOSURES}$", code.mask[:opening]):
                self.stick(position, "this argument cannot wait: bind the value before")
            opening = code.opening(opening)
        start = position
        for larger in self.starts(position):
            if len(self.split(larger, start, "??")) > 1:
                self.notes[position] = "the right side of `??` cannot wait: use `if let`"
            start = code.opening(start)
        for brace in code.around(position):
            head = code.mask[brace.head:brace.start]
            if brace.kind == "block" or brace.kind == "accessors":
                continue
            if brace.kind == "closure":
                if not re.search(WAITING_CLOSURES, head):
                    self.notes[position] = "if this closure cannot wait, call the pasteboard before it or in a Task"
                return
            if brace.kind == "type":
                self.stick(position, "a stored property cannot wait: set it in an initialiser or a function")
                return
            if brace.kind in ("set", "defer"):
                self.stick(position, f"`{head.split('(')[0].strip()}` cannot wait: move the call to a function")
                return
            if brace.kind == "get" and self.has_setter(brace):
                self.stick(position, "a property with a setter cannot wait: make functions of the two")
                return
            if brace.kind in ("function", "init") and (fixed := FIXED.search(head)):
                name = fixed[fixed.lastindex]
                advice = "call the pasteboard in a Task" if fixed[1] else "call the pasteboard before it"
                self.stick(position, f"`{name}` cannot wait: {advice}")
                return
            self.scopes[brace.start] = brace
            self.learn(brace, head)
            return

    def has_setter(self, brace):
        outer = self.code.around(brace.start)[0]
        braces = [other for other in self.code.braces.values() if outer.start < other.start < outer.end]
        return any(other.kind == "set" and self.code.around(other.start)[0] is outer for other in braces)

    def stick(self, position, note):
        self.stuck.add(position)
        self.notes[position] = note

    def learn(self, brace, head):
        code, type = self.code, self.code.type(brace.head)
        if brace.kind == "function" and (name := re.search(r"\bfunc\s+(\w+)", head)):
            self.functions.add((type, name[1], self.labels(self.parameters(brace))))
        elif brace.kind == "init":
            self.functions.add((type, "init", self.labels(self.parameters(brace))))
        else:
            if brace.kind == "get":
                outer = code.around(brace.start)[0]
                head = code.mask[outer.head:outer.start]
            if name := re.search(r"\bvar\s+(\w+)", head):
                self.properties.add((type, name[1]))
            elif type and re.search(r"\bsubscript\b", head):
                self.subscripts.add(type)

    def parameters(self, brace):
        """The bracket before the parameters of a function."""
        name = re.compile(r"\bfunc\s+\S+?\s*(?=[(<])|\binit\b[?!]?").search(self.code.mask, brace.head)
        return self.code.mask.index("(", name.end())

    def labels(self, opening):
        """The labels of arguments or parameters; an empty one for those without a label."""
        code, found, start = self.code, [], opening + 1
        index = start
        while index <= code.partner[opening]:
            if code.mask[index] in "([{" and code.partner[index] > index:
                index = code.partner[index]
            elif code.mask[index] in ",)":
                if argument := code.mask[start:index].strip():
                    label = re.match(r"(?:@\w+\s+)*(\w+)(?:\s+\w+)?\s*:", argument)
                    found.append(label[1] if label and label[1] != "_" else "")
                start = index + 1
            index += 1
        return tuple(found)

    def uses(self):
        """The uses of functions and properties of this file that wait."""
        code = self.code
        for type, name, labels in self.functions:
            called = rf"(?<![\w.])(?:self\??\.|Self\.|{type}\.)?{name}(?=\()"
            if name == "init":
                called = rf"(?<![\w.]){type}(?=\()|\b(?:self|{type})\.init(?=\()"
            for match in re.finditer(called, code.mask):
                if re.search(r"\bfunc\s+$", code.mask[:match.start()]):
                    continue
                if match[0] != type and not self.belongs(match.start(), type):
                    continue
                given = iter(labels)  # an argument with a default can be missing
                if all(label in given for label in self.labels(match.end())):
                    yield match
        for type, name in self.properties:
            for match in re.finditer(rf"(?<![\w.])(self\??\.)?{name}\b(?!\s*:(?!:))(?!\()", code.mask):
                if self.belongs(match.start(), type) and (match[1] or self.is_property(name, match.start())):
                    yield match

    def note_subscripts(self, type):
        """Advice for what may be a use of a subscript that waits. Its brackets could also be those of another one."""
        code = self.code
        values = "|".join(filter(None, ["self", names(code, type, rf"{type}\(")]))
        for match in re.finditer(rf"(?<![\w.])(?:self\??\.)?({values})[?!]?(?=\[)", code.mask):
            start = code.expression(match.start(), code.opening(match.start()))
            if re.search(r"\bawait\b", code.mask[start:match.start()]):
                continue
            if match[1] != "self" or self.belongs(match.start(), type):
                self.notes[match.start()] = "if this subscript waits, write `try await` before it"

    def belongs(self, position, type):
        return type is None or self.code.type(position) == type

    def is_property(self, name, position):
        """Whether a name is not that of a local value."""
        code = self.code
        if re.search(r"(?:\b(?:let|var|func|case|for|in)\s+|\$)$", code.mask[:position]):
            return False
        for brace in code.around(position):
            if brace.kind == "type":
                return True
            before = code.mask[brace.head:position]
            binding = (
                rf"\b{name}\s*:|\b(?:let|var|for)\s+\(?{name}\b(?!\s*=\s*$)|"
                rf"\{{[^{{}}\n]*\b{name}\b[^{{}}\n]*\bin\b"
            )
            if brace.kind not in ("getter", "accessors", "get") and re.search(binding, before):
                return False
        return True

    def operators(self):
        """The text without one of the `||` and `&&` whose right side would wait, which it cannot; None without any."""
        code = self.code
        for call in sorted(self.calls - self.stuck):
            position = call
            while True:
                opening = code.opening(position)
                start = code.expression(position, opening)
                for choice in re.compile(r"(?<=\s)[?:]\s").finditer(code.mask, start, position):
                    if code.opening(choice.start()) == opening:
                        start = choice.end()
                end = code.expression_end(position, opening, ends_at_choice=True)
                if new := self.choice(start, end, position, opening):
                    return code.edited([(start, end - start, new)])
                if opening < 0 or code.mask[opening] == "{":
                    break
                position = opening
        return None

    def split(self, start, end, operator):
        """The ranges between the operators at the level of a range."""
        code, parts, index = self.code, [], start
        while index < end:
            if code.mask[index] in "([{":
                index = code.partner[index]
            elif code.mask.startswith(operator, index):
                parts.append((start, index))
                start = index = index + len(operator)
                continue
            index += 1
        parts.append((start, end))
        return parts

    def choice(self, start, end, position, opening):
        """A range without the `||` and `&&` whose right side contains a position; None without any.

        `a || b` becomes `a ? true : b`, and `a && b` becomes `a ? b : false`, because both sides of a `?` can wait. In
        a condition, `a && b` becomes `a, b`.
        """
        code = self.code

        def texts(ranges):
            """The texts of ranges, and the white space after each of them."""
            found = [code.text[start:end] for start, end in ranges]
            return [text.strip() for text in found], [text[len(text.rstrip()):] or " " for text in found]

        def waits(ranges):
            return any(start <= position < end for start, end in ranges[1:])

        parts = self.split(start, end, "||")
        changed, (_, spaces) = [], texts(parts)
        for part in parts:
            ranges = self.split(*part, "&&")
            both, gaps = texts(ranges)
            if not waits(ranges):
                changed.append("".join(text + f"{gap}&& " for text, gap in zip(both[:-1], gaps)) + both[-1])
            elif len(parts) == 1 and self.is_condition(start, opening):
                return "".join(text + "," + gap for text, gap in zip(both[:-1], gaps)) + both[-1]
            else:
                text = "".join(text + f"{gap}? " for text, gap in zip(both[:-1], gaps)) + both[-1]
                text += "".join(f"{gap}: false" for gap in gaps[:-1])
                changed.append(text if len(parts) == 1 else f"({text})")
        if waits(parts):
            text = "".join(text + f"{space}? true : " for text, space in zip(changed[:-1], spaces)) + changed[-1]
        elif any(waits(self.split(*part, "&&")) for part in parts):
            text = "".join(text + f"{space}|| " for text, space in zip(changed[:-1], spaces)) + changed[-1]
        else:
            return None
        is_part = re.match(r"\s*[?]\s", code.mask[end:]) or re.search(r"\s\?\s*$", code.mask[:start])
        return f"({text})" if is_part else text

    def is_condition(self, start, opening):
        """Whether an expression is one of the conditions of a statement."""
        head = self.code.mask[self.code.statement(start, opening):start]
        return re.match(r"(?:\}\s*)?(?:else\s+)?(?:if|guard|while)\s", head) and not re.search(r"=\s*$", head)

    def marked(self):
        """The text with `try await` before the calls, and `async throws` at what contains them."""
        code, edits = self.code, {}
        starts = {call: self.starts(call) for call in self.calls - self.stuck}
        first = {each[0] for each in starts.values()}
        for call, (start, *outer) in starts.items():
            if any(each in first for each in outer):
                continue  # the `try await` before a larger expression is enough
            effects = re.compile(r"(try[?!]?\s+)?(await\s+)?").match(code.mask, start)
            if effects[2] is None:
                edits[start + len(effects[1] or "")] = ("" if effects[1] else "try ") + "await "
            elif effects[1] is None:
                edits[start] = "try "
        for brace in self.scopes.values():
            if brace.kind == "getter":
                self.getter(brace, edits)
            elif brace.kind == "get":
                if not re.search(r"\basync\b", code.mask[brace.head:brace.start]):
                    edits[brace.start] = "async throws "
            else:
                self.effects(code.partner[self.parameters(brace)] + 1, edits)
        # The requirements of a protocol in the same file
        for type, name, labels in self.functions:
            for match in re.finditer(rf"\bfunc\s+{name}(?=\()", code.mask):
                around = [code.mask[brace.head:brace.start] for brace in code.around(match.start())]
                if around and re.search(r"\bprotocol\s", around[0]) and self.labels(match.end()) == labels:
                    self.effects(code.partner[match.end()] + 1, edits)
        return code.edited([(position, 0, new) for position, new in edits.items()])

    def starts(self, position):
        """The start of the expression with a call, and those of the larger ones around it."""
        found = []
        while True:
            opening = self.code.opening(position)
            found.append(self.code.expression(position, opening))
            if opening < 0 or self.code.mask[opening] == "{":
                return found
            position = opening

    def effects(self, position, edits):
        there = re.compile(r"\s*(async\b)?\s*(throws\b|rethrows\b)?").match(self.code.mask, position)
        if not there[1]:
            edits[position] = " async" if there[2] else " async throws"
        elif not there[2]:
            edits[there.end(1)] = " throws"

    def getter(self, brace, edits):
        code = self.code
        lines = code.text[brace.start + 1:brace.end].split("\n")
        if len(lines) == 1 or lines[0].strip() or lines[-1].strip():
            edits[brace.start + 1] = " get async throws {"
            edits[brace.end] = "} "
            return
        position = brace.start + 1
        edits[position] = f"{code.newline}{lines[-1]}    get async throws {{"
        for line in lines[:-1]:
            if line.strip() and position > brace.start + 1:
                edits[position] = "    " + edits.get(position, "")
            position += len(line) + 1
        edits[brace.end] = f"    }}{code.newline}{lines[-1]}"
