#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read_exports.py pprof|perfetto FILE PROTO - decodes an export with the code that protoc makes of
the .proto file, and prints what it says as JSON: sums in nanoseconds. Fails where a field is not
known, an index leads nowhere, or slices do not nest."""

import collections
import gzip
import importlib
import json
import os
import subprocess
import sys
import tempfile


def module_of(proto, folder):
    subprocess.run(["protoc", "-I", os.path.dirname(proto), "--python_out", folder, proto],
                   check=True)
    sys.path.insert(0, folder)
    return importlib.import_module(os.path.basename(proto)[:-len(".proto")] + "_pb2")


def decoded(kind, data):
    message = kind.FromString(data)
    plain = kind.FromString(data)
    plain.DiscardUnknownFields()
    assert message.ByteSize() == plain.ByteSize(), "a field that the .proto file does not have"
    return message


def read_pprof(data, module):
    profile = decoded(module.Profile, gzip.decompress(data))
    text = profile.string_table
    assert text[0] == ""
    mappings = {mapping.id: text[mapping.filename] for mapping in profile.mapping}
    functions = {function.id: function for function in profile.function}
    locations = {location.id: location for location in profile.location}
    assert 0 not in mappings and 0 not in functions and 0 not in locations
    assert len(locations) == len(profile.location) and len(functions) == len(profile.function)
    types = [text[kind.type] + "/" + text[kind.unit] for kind in profile.sample_type]
    paths = collections.defaultdict(lambda: [0] * len(types))
    states = collections.Counter()
    threads = collections.Counter()
    lines = set()
    for sample in profile.sample:
        names = []
        for number in sample.location_id:
            location = locations[number]
            assert location.mapping_id == 0 or location.mapping_id in mappings
            function = functions[location.line[0].function_id]
            names.append(text[function.name])
            lines.add(f"{text[function.name]} {text[function.filename]}:{location.line[0].line}")
        labels = {text[label.key]: text[label.str] for label in sample.label}
        path = paths[";".join(reversed(names))]
        for i, value in enumerate(sample.value):
            path[i] += value
        states[labels["state"]] += sample.value[-1]
        threads[labels["thread"]] += sample.value[-1]
    return {"types": types, "default": text[profile.default_sample_type], "paths": paths,
            "states": states, "threads": threads, "lines": sorted(lines),
            "modules": sorted(mappings.values()), "duration": profile.duration_nanos,
            "comments": [text[comment] for comment in profile.comment]}


def read_perfetto(data, module):
    trace = decoded(module.Trace, data)
    names, threads, open_slices, last = {}, {}, {}, {}
    processes, instants = [], []
    own_tracks = set()
    sums = collections.defaultdict(collections.Counter)
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            if track.HasField("process"):
                processes.append(track.process.process_name)
                own_tracks.add(track.uuid)
                names = {}
            else:
                assert track.uuid not in threads
                threads[track.uuid] = track.thread.thread_name
                open_slices[track.uuid] = []
            continue
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        event = packet.track_event
        if event.type == module.TrackEvent.TYPE_INSTANT:
            assert event.track_uuid in own_tracks and packet.timestamp >= min(last.values())
            instants.append(names[event.name_iid])
            continue
        slices = open_slices[event.track_uuid]
        assert packet.timestamp >= last.get(event.track_uuid, 0)
        last[event.track_uuid] = packet.timestamp
        if event.type == module.TrackEvent.TYPE_SLICE_BEGIN:
            slices.append((names[event.name_iid], packet.timestamp))
        else:
            assert event.type == module.TrackEvent.TYPE_SLICE_END
            name, begin = slices.pop()
            sums[threads[event.track_uuid]][name] += packet.timestamp - begin
    assert not any(open_slices.values())
    return {"processes": processes, "sums": sums, "instants": instants}


def main():
    what, file, proto = sys.argv[1:]
    with open(file, "rb") as opened, tempfile.TemporaryDirectory() as folder:
        module = module_of(proto, folder)
        read = {"pprof": read_pprof, "perfetto": read_perfetto}[what]
        json.dump(read(opened.read(), module), sys.stdout)


main()
