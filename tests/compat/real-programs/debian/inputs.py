# SPDX-License-Identifier: Apache-2.0
"""inputs.py NAME... - makes these input files of the programs in ../same_as_plain.sh, the same each
time, in the working directory."""
import random
import sys

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def changed(text, rate, alphabet):
    return "".join(random.choice(alphabet) if random.random() < rate else c for c in text)


def some(alphabet, length):
    return "".join(random.choice(alphabet) for _ in range(length))


def fasta(path, texts):
    with open(path, "w") as out:
        for number, text in enumerate(texts):
            out.write(f">s{number}\n{text}\n")


def proteins(path, count):
    first = some(LETTERS, 300)
    fasta(path, [changed(first, 0.1 + 0.4 * random.random(), LETTERS) for _ in range(count)])


def genomes(path):
    first = some("ACGT", 200000)
    fasta(path, [changed(first, 0.01 * (i + 1), "ACGT") for i in range(5)])


def two_genomes():
    first = some("ACGT", 200000)
    for name, rate in (("genome0.fa", 0), ("genome1.fa", 0.02), ("genome2.fa", 0.04)):
        fasta(name, [changed(first, rate, "ACGT")])


def aligned(path):
    first = some("ACGT", 1500)
    fasta(path, [changed(first, 0.05 + 0.1 * random.random(), "ACGT") for _ in range(40)])


def amplicons(path):
    first = some("ACGT", 400)
    fasta(path, [changed(first, 0.02 + 0.2 * random.random(), "ACGT") for _ in range(300)])


def reads(path):
    text = some("ACGT", 100000)
    starts = [random.randrange(len(text) - 100) for _ in range(15000)]
    fasta(path, [text[start:start + 100] for start in starts])


def image(path):
    width, height = 600, 400
    with open(path, "wb") as out:
        out.write(b"P6\n%d %d\n255\n" % (width, height))
        out.write(bytes((x * y // (1 + c) + 17 * c * x + y * y // 7) % 256
                        for y in range(height) for x in range(width) for c in range(3)))


def messages():
    words = [some("abcdefghijklmnopqrst", random.randrange(3, 9)) for _ in range(800)]
    texts = [" ".join(random.choice(words) for _ in range(9)) for _ in range(700)]
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    with open("old.po", "w") as out:
        out.write(head + "".join(f'msgid "{t}"\nmsgstr "{t.upper()}"\n\n' for t in texts))
    with open("new.pot", "w") as out:
        out.write(head + "".join(f'msgid "{t} {random.choice(words)}"\nmsgstr ""\n\n' for t in texts))


def water():
    atoms = [(name, x + a, y + b, z) for x in (0, 3, 6) for y in (0, 3) for z in (0, 3)
             for name, a, b in (("O", 0, 0), ("H", 0.76, 0.59), ("H", -0.76, 0.59))]
    with open("water.xyz", "w") as out:
        out.write(f"{len(atoms)}\n\n" + "".join(f"{n} {x} {y} {z}\n" for n, x, y, z in atoms))
    with open("water.mop", "w") as out:
        out.write("PM7 1SCF THREADS=2\nwater\n\n" +
                  "".join(f"{n} {x} 1 {y} 1 {z} 1\n" for n, x, y, z in atoms))


def data(path):
    with open(path, "wb") as out:
        out.write(random.randbytes(4000000))


MADE_BY = {
    "proteins.fa": lambda: proteins("proteins.fa", 30),
    "few_proteins.fa": lambda: proteins("few_proteins.fa", 12),
    "many_proteins.fa": lambda: proteins("many_proteins.fa", 1500),
    "genomes.fa": lambda: genomes("genomes.fa"),
    "genome0.fa": two_genomes,
    "aligned.fa": lambda: aligned("aligned.fa"),
    "amplicons.fa": lambda: amplicons("amplicons.fa"),
    "reads.fa": lambda: reads("reads.fa"),
    "image.ppm": lambda: image("image.ppm"),
    "old.po": messages,
    "water.xyz": water,
    "data.bin": lambda: data("data.bin"),
}

for name in sys.argv[1:]:
    random.seed(7)
    MADE_BY[name]()
