# SPDX-License-Identifier: MIT
# What `protoc --decode_raw` says of a Perfetto trace as rows: category, name, begin, end, thread, correlation.
# Names come as protoc writes them, with its escapes. Field numbers are those of Perfetto's public protos:
# TracePacket 11 track_event, 12 interned_data (1 categories, 2 names, 3 annotations' names); TrackEvent 9 type
# (1 begin, 3 instant), 3 category, 10 name, 4 annotation (1 name, 3 and 4 numbers).
function value(line) { sub(/^ *[0-9]+: /, "", line); return line }
function text(line) { line = value(line); return substr(line, 2, length(line) - 2) }

/^1 \{/ { type = category = name = 0; split("", note); next }
/^  [0-9]+ \{/ { part = $1; next }
/^    [0-9]+ \{/ { inner = $1; next }
part == 12 && /^      1: / { id = $2 }
part == 12 && /^      2: / { interned[inner, id] = text($0) }
part == 11 && /^    9: / { type = $2 }
part == 11 && /^    3: / { category = $2 }
part == 11 && /^    10: / { name = $2 }
part == 11 && inner == 4 && /^      1: / { id = $2 }
part == 11 && inner == 4 && /^      [34]: / { note[id] = $2 }
/^\}/ && (type == 1 || type == 3) && category {
	for (id in note)
		by_name[interned[3, id]] = note[id]
	printf "%s\037%s\037%s\037%s\037%s\037%s\036", interned[1, category], interned[2, name], by_name["begin_ns"], by_name["end_ns"],
		by_name["tid"], by_name["corr_id"]
	split("", by_name)
}
