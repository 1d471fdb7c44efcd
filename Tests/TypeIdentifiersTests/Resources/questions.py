#!/usr/bin/env python3
"""Writes questions.tsv: questions about uttypes.tsv, answered by other algorithms than the library's.

The closure is a matrix that is multiplied with itself until nothing changes, tags are looked up in the rows in order,
and dynamic identifiers are made by the arithmetic of one large number. Run it after an edit of the table. A line contains
a kind of question, its arguments, and the answer. An empty answer means none, and names in a list are separated by commas.
"""
import pathlib
import random

here = pathlib.Path(__file__).resolve().parent
table = here.parents[2] / "Sources/TypeIdentifiers/Table/uttypes.tsv"
lines = [line.split("\t") for line in table.read_text().splitlines()[1:]]
names = [line[0] for line in lines]
place = {name: index for index, name in enumerate(names)}


def column(number):
    return [[item for item in line[number].split(",") if item] for line in lines]


direct, extensions, mime_types = column(1), column(2), column(3)
size = len(names)
# Row i is a bit set of the types to which type i conforms, including itself.
reach = [1 << i | sum(1 << place[parent] for parent in direct[i]) for i in range(size)]
changed = True
while changed:
    changed = False
    for i in range(size):
        wider = reach[i]
        for j in range(size):
            if reach[i] >> j & 1:
                wider |= reach[j]
        changed |= wider != reach[i]
        reach[i] = wider


def conforms(one, other):
    return reach[place[one]] >> place[other] & 1 == 1


DIGITS = "abcdefghkmnpqrstuvwxyz0123456789"


def dynamic(key, tag, supertype):
    """The identifier of a dynamic type: `?0=SUPERTYPE:KEY=TAG` as one number, in digits of five bits."""
    code = {"public.data": "6", "public.text": "7", "public.plain-text": "8"}.get(supertype, supertype)
    value = "".join("\\" + char if char in ":,=\\" else char for char in tag)
    data = ((f"?0={code}:" if code else "") + f"{key}={value}").encode()
    count = -(-len(data) * 8 // 5)
    number = int.from_bytes(data, "big") << (count * 5 - len(data) * 8)
    return "dyn.a" + "".join(DIGITS[number >> 5 * (count - 1 - digit) & 31] for digit in range(count))


def best(tags, key, tag, supertype):
    for index, row in enumerate(tags):
        if tag in [item.lower() for item in row] and (not supertype or conforms(names[index], supertype)):
            return names[index]
    return dynamic(key, tag, supertype)


chance = random.Random(20260101)
questions = []


def ask(*fields):
    questions.append("\t".join(fields))


# Some pairs that conform and some that do not. The whole closure of every type follows below.
pairs = [(one, other) for one in names for other in names if one != other]
for answer in ("yes", "no"):
    matching = [pair for pair in pairs if conforms(*pair) == (answer == "yes")]
    for one, other in chance.sample(matching, 400):
        ask("conforms", one, other, answer)
for name in names:
    ask("supertypes", name, ",".join(sorted(other for other in names if other != name and conforms(name, other))))
    ask("extension-of", name, (extensions[place[name]] or [""])[0])
    ask("mime-type-of", name, (mime_types[place[name]] or [""])[0])

WANTED = ["", "public.data", "public.text", "public.plain-text", "public.image", "public.movie", "public.audio",
          "public.xml", "public.archive", "public.directory", "public.folder", "com.apple.package", "public.content"]
for tag in sorted({item.lower() for row in extensions for item in row}):
    claimed = sum(tag in [item.lower() for item in row] for row in extensions) > 1
    for supertype in WANTED if claimed else ["", "public.data"] + chance.sample(WANTED[2:], 1):
        ask("extension", tag, supertype, best(extensions, "1", tag, supertype))
for tag in sorted({item.lower() for row in mime_types for item in row}):
    claimed = sum(tag in [item.lower() for item in row] for row in mime_types) > 1
    for supertype in WANTED if claimed else ["", "public.data"]:
        # Text with a charset also conforms to the type without it. Other tests cover this rule.
        ask("mime-type", tag, supertype, best(mime_types, "3", tag, supertype))
# No type declares these tags: their identifiers contain all information.
for number in range(60):
    tag = "q-" + "".join(chance.choice("abcdefghij0123456789+-_~ ,:=\\ä☃") for _ in range(chance.randint(1, 12))).strip()
    for supertype in chance.sample(WANTED, 2):
        ask("extension", tag, supertype, dynamic("1", tag, supertype))
    tag = "application/x-q-" + "".join(chance.choice("abcdefghij0123456789+-._") for _ in range(chance.randint(1, 20)))
    ask("mime-type", tag, "public.data", dynamic("3", tag, "public.data"))

(here / "questions.tsv").write_text("\n".join(questions) + "\n")
print(len(questions), "questions")
