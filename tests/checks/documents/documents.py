# SPDX-License-Identifier: Apache-2.0
"""documents.py FILE.md... - holds documents to the rules that a reader profits from.

Run from the top of the sources, by documents.sh. The rules:
  line      a line of prose has at most 100 columns (tables and code are excepted)
  sentence  a sentence has at most 25 words, in tables too, where a semicolon ends it as well
  link      a relative link leads to a file, and its #anchor to a heading
  file      a path in backticks (one with a slash) is that of a file or folder
  word      none of the words below, which have a plainer form
Prints one line for each breach, `file:line: rule: text`, and exits with 1 if there is one.
"""
import glob
import os
import re
import sys

MOST_COLUMNS = 100
# Pages that are read in one go.
MOST_LINES = {"README.md": 150, "docs/PERFORMANCE.md": 110, "docs/START.md": 300, "docs/ROBUSTNESS.md": 250}
MOST_WORDS = 25

# The word as a regular expression, and what stands in its place.
WORDS = [
    (r"as above", "the sentence itself"),
    (r"a matter of", "depends on, is done by"),
    (r"says?|said|saying", "reports, returns, prints, shows"),
    (r"tells?|told|telling", "reports"),
    (r"lends?|lent", "provides"),
    (r"own words?", "value"),
    (r"guests?|further tools?|another tool", "client tool"),
    (r"gives? back", "releases"),
    (r"take it at its word|at its word", "relies on the report"),
]
FORBIDDEN = [(re.compile(rf"\b({word})\b", re.IGNORECASE), better) for word, better in WORDS]

CODE = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
# Starts of a list item, a quotation or a heading.
MARK = re.compile(r"\s*([-*+]|\d+\.|>|#+)\s+")
PATH = re.compile(r"^[\w.+-]+(/[\w.*+-]+)*/?$")
NO_SENTENCE_END = re.compile(r"\b(e\.g|i\.e|etc|vs|approx)\.", re.IGNORECASE)


def anchor_of(heading):
    """The anchor that GitHub makes of a heading."""
    text = LINK.sub(r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Document:
    def __init__(self, name):
        self.name = name
        with open(name, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.prose = []    # (line number, text): outside of tables and code
        self.cells = []    # (line number, text): of tables
        self.anchors = set()
        self.blocks = []   # (line number, text): paragraphs, items and headings as one text each
        self.split()

    def split(self):
        fence = None
        open_block = None  # [line number, parts]

        def close():
            nonlocal open_block
            if open_block:
                self.blocks.append((open_block[0], " ".join(open_block[1])))
            open_block = None

        blank_before = True
        for number, line in enumerate(self.lines, 1):
            start = re.match(r"\s*(```+|~~~+)", line)
            if fence or start:
                if not fence:
                    close()
                    fence = start.group(1)
                elif line.strip() == fence:
                    fence = None
                blank_before = False
                continue
            if not line.strip() or line.startswith("<!--"):
                close()
                blank_before = True
                continue
            if line.startswith("    ") and blank_before and not open_block:
                continue  # indented code, to the next blank line and beyond
            if line.lstrip().startswith("|"):
                close()
                if not re.fullmatch(r"[\s|:-]+", line):
                    masked = CODE.sub(lambda code: code.group(0).replace("|", "/"), line)
                    masked = masked.replace("\\|", "/")
                    self.cells += [(number, cell) for cell in masked.strip().strip("|").split("|")]
                continue
            self.prose.append((number, line))
            mark = MARK.match(line)
            if mark:
                close()
            if line.startswith("#"):
                self.anchors.add(anchor_of(line.lstrip("#")))
                self.blocks.append((number, line.lstrip("# ")))
            else:
                open_block = open_block or [number, []]
                open_block[1].append(line[mark.end():] if mark else line.strip())
            blank_before = False
        close()


def plain(text):
    """Links become their text, code becomes one word, emphasis goes."""
    text = LINK.sub(r"\1", text)
    text = CODE.sub("code", text)
    return re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", text)


def sentences(text, ends):
    text = NO_SENTENCE_END.sub(lambda found: found.group(0).replace(".", ""), plain(text))
    return re.split(rf"[{ends}][)\"']*(?:\s+|$)", text)


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def check_length(document):
    most = MOST_LINES.get(document.name)
    if most and len(document.lines) > most:
        yield most + 1, "length", f"{len(document.lines)} lines; at most {most}"


def check_lines(document):
    for number, line in document.prose:
        if len(line) > MOST_COLUMNS:
            yield number, "line", f"{len(line)} columns"


def check_sentences(document):
    for texts, ends in ((document.blocks, ".!?"), (document.cells, ".!?;")):
        for number, text in texts:
            for sentence in sentences(text, ends):
                found = words(sentence)
                if len(found) > MOST_WORDS:
                    yield number, "sentence", f"{len(found)} words: {' '.join(found)}"


def check_links(document):
    for number, text in document.prose + document.cells:
        for _, target in LINK.findall(CODE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = document
            if path:
                path = os.path.normpath(os.path.join(os.path.dirname(document.name), path))
                if not os.path.exists(path):
                    yield number, "link", f"{target}: there is no such file"
                    continue
                if not path.endswith(".md"):
                    continue
                other = Document(path)
            if anchor and anchor not in other.anchors:
                yield number, "link", f"{target}: there is no such heading"


def is_there(path, folder):
    return any(glob.glob(os.path.join(place, path)) for place in (".", folder))


def check_files(document):
    folder = os.path.dirname(document.name) or "."
    for number, text in document.prose + document.cells:
        for _, code in CODE.findall(text):
            for word in code.split():
                # What a build or an installation makes is not there before it; ./program is the
                # reader's own.
                made = ("build/", "bin/", "lib/", "libexec/", "share/", "./")
                if not PATH.match(word) or "/" not in word or word.startswith(made):
                    continue
                # In a command (x/8dw is one of gdb's) only what begins like a path of the tree.
                if " " in code and not is_there(word.split("/")[0], folder):
                    continue
                if not is_there(word, folder):
                    yield number, "file", f"{word}: there is no such file"


def check_words(document):
    for number, text in document.prose + document.cells:
        for expression, better in FORBIDDEN:
            for found in expression.finditer(CODE.sub("", text)):
                yield number, "word", f"'{found.group(0)}'; plainer: {better}"


CHECKS = (check_length, check_lines, check_sentences, check_links, check_files, check_words)


def main(names):
    breaches = 0
    for name in names:
        document = Document(name)
        for number, rule, text in sorted(b for check in CHECKS for b in check(document)):
            print(f"{name}:{number}: {rule}: {text}")
            breaches += 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
