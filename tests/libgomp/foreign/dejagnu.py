# SPDX-License-Identifier: Apache-2.0
# What a program of GCC's testsuite asks for in its comments, as far as libgomp's programs use it:
# {dg-do run}, options, other sources, environment.
import dataclasses
import pathlib
import re

# Effective targets of an x86-64 Linux machine without a device.
HAS = {"lp64", "size32plus", "tls", "tls_runtime", "sync_int_long", "vect_simd_clones", "fpic",
       "shared", "__float128", "large_long_double", "fd_truncate", "pthread", "lto",
       "run_expensive_tests", "sse2_runtime", "sse4", "x86_64-*-*", "*-*-linux*", "*-*-*"}
if " avx " in pathlib.Path("/proc/cpuinfo").read_text():
    HAS.add("avx_runtime")


# Of words and { }, &&, ||, !; of a list of targets one is enough.
def holds(selector):
    text = []
    for word in re.findall(r"&&|\|\||!|\{|\}|[^\s{}!&|]+", selector):
        if word in ("{", "}", "&&", "||", "!"):
            text.append({"{": "(", "}": ")", "&&": " and ", "||": " or ", "!": " not "}[word])
        elif word not in ("target", "xfail"):
            is_first = not text or text[-1].strip() in ("(", "and", "or", "not")
            text.append(("" if is_first else " or ") + str(word in HAS))
    try:
        return bool(eval("".join(text).strip() or "True", {"__builtins__": {}}))
    except SyntaxError:
        return False


def braced(text, start):
    depth, i = 0, start
    while i < len(text):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            break
    return text[start + 1:i - 1]


@dataclasses.dataclass
class Asked:
    runs: bool = True
    options: list = dataclasses.field(default_factory=lambda: ["-O2"])
    sources: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)


def words_of(text):
    return [quoted or braces or plain for quoted, braces, plain in
            re.findall(r'"((?:[^"\\]|\\.)*)"|\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|([^\s{}"]+)', text)]


def read(path):
    asked = Asked()
    text = path.read_text(errors="replace")
    for match in re.finditer(r"\{\s*(dg-[a-z-]+)", text):
        name = match.group(1)
        words = words_of(braced(text, match.start()).strip()[len(name):])
        selector = words[1] if len(words) > 1 else ""
        if name == "dg-do":
            asked.runs = words[:1] == ["run"] and holds(selector)
        elif name == "dg-options" and holds(selector):
            asked.options = words[0].split()
        elif name == "dg-additional-options" and holds(selector):
            asked.options = asked.options + words[0].split()
        elif name == "dg-additional-sources":
            asked.sources += words[0].split()
        elif name == "dg-set-target-env-var":
            asked.environment[words[0]] = words[1]
        elif name == "dg-require-effective-target" and words[0] not in HAS:
            asked.runs = False
        elif name == "dg-skip-if" and holds(selector):
            asked.runs = False
    return asked
