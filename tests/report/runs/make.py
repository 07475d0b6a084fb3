# SPDX-License-Identifier: Apache-2.0
"""make.py FIRST FOLDER - makes later.ompc, earlier.ompc and newer.ompc of first.ompc with flatc.

How the files beside it were made, once: they stay as they are. Each message becomes JSON, is
changed, and becomes binary again by run.fbs or by one with more fields.
"""
import json, os, re, struct, subprocess, sys, tempfile, zlib

SCHEMA = os.path.join(os.path.dirname(__file__), "../../../compat/ompcollect/formats/run.fbs")
MORE = [
    ("table Nodes {", "  a_column_of_later:[string];\n"),
    ("table Process {", "  a_table_of_later:[Place];\n  a_field_of_later:uint;\n"),
    ("table Header {", "  a_field_of_later:uint;\n"),
]


def schema_of_later():
    text = open(SCHEMA).read()
    for table, fields in MORE:
        text = re.sub("(" + table + "[^}]*)}", lambda found: found[1] + fields + "}", text)
    return text


def flatc(schema, root, name, content, to_json):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        open(os.path.join(folder, "run.fbs"), "w").write(
            re.sub('root_type.*\nfile_identifier.*', "root_type %s;" % root, schema)
            + ("" if to_json else 'file_identifier "%s";\n' % IDENTIFIERS[root]))
        open(path, "wb").write(content)
        how = ["--json", "--strict-json", "--raw-binary"] if to_json else ["--binary"]
        words = ["flatc", *how, "--size-prefixed", "-o", folder, os.path.join(folder, "run.fbs")]
        subprocess.run(words + (["--", path] if to_json else [path]), check=True)
        made = os.path.splitext(path)[0] + (".json" if to_json else ".bin")
        return open(made, "rb").read()


IDENTIFIERS = {"Header": "OMPC", "Process": "OMPP", "End": "OMPE"}


def messages(data):
    at = 0
    while at < len(data):
        size = 4 + struct.unpack_from("<I", data, at)[0]
        root = {i: r for r, i in IDENTIFIERS.items()}[data[at + 8:at + 12].decode()]
        yield root, json.loads(flatc(open(SCHEMA).read(), root, "m.bin", data[at:at + size], True))
        at += size


def changed(first, schema, change):
    data = b""
    for root, message in messages(first):
        if root == "End":
            message["crc32"] = zlib.crc32(data)
        else:
            change(root, message)
        data += flatc(schema, root, "m.json", json.dumps(message).encode(), False)
    return data


def later(root, message):
    message["a_field_of_later"] = 7
    if root == "Process":
        message["facts"].insert(3, {"name": "a_fact_of_later", "kind": "Real", "real": 3.5})
        message["threads"].insert(2, {"name": "a_column_of_later", "kind": "Whole",
                                      "whole": [1, 2, 3]})
        message["nodes"]["a_column_of_later"] = ["a_column_of_later"]
        message["a_table_of_later"] = [{"name": "a_table_of_later"}]


def earlier(root, message):
    if root == "Process":
        message["facts"] = [fact for fact in message["facts"] if fact["name"] != "rate"]
        message["threads"] = [one for one in message["threads"] if one["name"] != "events"]
        for table, column in (("nodes", "same_as"), ("nodes", "key"), ("cells", "cpu")):
            del message[table][column]
        del message["samples"], message["locks"], message["lines"]


def newer(root, message):
    if root == "Header":
        message["version"] = 99


first = open(sys.argv[1], "rb").read()
for name, change, schema in (("later", later, schema_of_later()),
                             ("earlier", earlier, open(SCHEMA).read()),
                             ("newer", newer, open(SCHEMA).read())):
    open(os.path.join(sys.argv[2], name + ".ompc"), "wb").write(changed(first, schema, change))
