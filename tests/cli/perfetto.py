"""Reads an execution trace in Perfetto's format: tracks by identity, events by track in file order, values of counters.

Checks what must hold for every trace. A track is described before its first event, and its parent before the track. On
a track, events do not overlap. Each end has its begin.
"""
import collections
import struct
import subprocess
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data, may_be_cut=False):
    """Returns the fields of a message: lists of values by field number. A process that is killed during a write leaves
    a truncated last value.
    """
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        elif wire == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                assert may_be_cut, "a message is cut"
                break
        else:
            raise AssertionError(f"wire type {wire}")
        found[number].append(value)
    return found


Track = collections.namedtuple("Track", "name parent is_counter")
Event = collections.namedtuple("Event", "name begin end arguments")


def read(path, may_be_cut=False):
    data = open(path, "rb").read()
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout
    tracks, events, counts, open_events = {}, collections.defaultdict(list), collections.defaultdict(list), {}
    for packet in (fields(packet) for packet in fields(data, may_be_cut)[1]):
        assert packet[10] == [1], "another sequence"
        for track in (fields(track) for track in packet[60]):
            uuid, = track[1]
            assert uuid not in tracks and all(parent in tracks for parent in track[5])
            tracks[uuid] = Track(track[2][0].decode(), track[5][0] if track[5] else None, bool(track[8]))
        for event in (fields(event) for event in packet[11]):
            (kind,), (uuid,), (time,) = event[9], event[11], packet[8]
            track = tracks[uuid]
            assert track.is_counter == (kind == 4), track
            if kind == 4:
                assert not counts[uuid] or counts[uuid][-1][0] < time
                counts[uuid].append((time, event[44][0]))
                continue
            if kind == 2:
                name, begin, arguments = open_events.pop(uuid)
                assert time > begin
                events[uuid].append(Event(name, begin, time, arguments))
                continue
            pairs = [fields(pair) for pair in event[4]]
            arguments = {pair[10][0].decode(): pair[3][0] for pair in pairs}
            assert uuid not in open_events, "events on a track overlap"
            if kind == 1:
                open_events[uuid] = event[23][0].decode(), time, arguments
            else:
                events[uuid].append(Event(event[23][0].decode(), time, time, arguments))
    assert not open_events, "an event has no end"
    return tracks, events, counts


if __name__ == "__main__":
    for uuid, found in read(sys.argv[1], sys.argv[2:] == ["killed"])[1].items():
        print(uuid, len(found))
