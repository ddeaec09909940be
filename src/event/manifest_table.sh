#!/bin/sh
# Makes src/event/manifest_table.tsv from the tables of manifest event layouts that it was collected in. The build
# does not need it: the result is in the repository.
#
# usage: src/event/manifest_table.sh LAYOUTS.tsv.zst MAPS.tsv > src/event/manifest_table.tsv
set -eu
export LC_ALL=C
[ $# -eq 2 ] || { sed -n '5p' "$0" >&2; exit 2; }
cat <<'HEAD'
# Layouts of ETW events from manifests: facts (numbers, names, types), no message texts.
# src/event/manifest_table.h reads it; src/event/manifest_table.sh makes it. Columns are separated by tabs.
#
# provider GUID manifest|classic NAME   begins a provider; providers are sorted by GUID
# map NUMBER value|bits NUMBER=TEXT...  names of numbers, sorted
# task NAME                             of the events that follow
# fields NUMBER FIELD...                a list that several events share, or begin with
# ID.VERSION OPCODE FIELD...            an event; several lines for one event are variants, the newest first.
#                                       Of classic events ID is the opcode
#
# A list may begin with @NUMBER: the fields of that list. FIELD is NAME, NAME:TYPE, and then, where it has them:
# [LENGTH], *COUNT, =MAP. LENGTH and COUNT are numbers or names of earlier fields. No TYPE is a 32-bit unsigned number.
# Types are in src/event/manifest_table.c; structN: the N fields that follow, ?N: in type N, of which the size or the
# members are not known.
HEAD
zstd -dcq "$1" | awk -F'\t' -v maps="$2" '
    BEGIN {
        OFS = "\t"
        n = split("UInt32: UInt32/unsignedInt: UInt32/PID: UInt32/HexInt32:x32 UInt32/NTSTATUS:status UInt32/IPv4:ip4" \
                  " UInt64:u64 UInt64/unsignedLong:u64 UInt64/HexInt64:x64 UInt16:u16 UInt16/unsignedShort:u16" \
                  " UInt16/Port:port UInt16/HexInt16:x16 UInt8:u8 UInt8/unsignedByte:u8 UInt8/HexInt8:x8" \
                  " Int8:i8 Int16:i16 Int32:i32 Int32/int:i32 Int64:i64 HexInt32:x32 HexInt64:x64 Float:f32 Double:f64" \
                  " Boolean:b Boolean/boolean:b Pointer:p Pointer/HexInt64:p GUID:g GUID/GUID:g SID:sid" \
                  " FILETIME:t FILETIME/dateTime:t SYSTEMTIME:st UnicodeString:s UnicodeString/string:s AnsiString:a" \
                  " AnsiString/string:a Binary:bin Binary/hexBinary:bin Binary/SocketAddress:sock Binary/IPv6:ip6" \
                  " CountedUnicodeString:cs CountedAnsiString:ca CountedBinary:cbin", pairs, " ")
        for (i = 1; i <= n; i++) {
            split(pairs[i], pair, ":")
            types[pair[1]] = pair[2]
        }
        while ((getline line < maps) > 0) {
            if (line ~ /^#/ || split(line, m, "\t") != 6)
                continue
            key = m[1] SUBSEP m[3]
            map_kind[key] = m[4] == "bitmap" ? "bits" : "value"
            number = number_of(m[5])
            if (m[6] != "" && !((key, number) in has_entry)) {
                has_entry[key, number] = 1
                entries[key, ++entry_count[key]] = sprintf("%.0f", number) "=" m[6]
                values[key, entry_count[key]] = number
            }
        }
        close(maps)
        # Newer runtimes of .NET have names that the maps lack.
        n = split("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4 a669021c-c450-4609-a035-5af59af4df18", dotnet, " ")
        for (i = 1; i <= n; i++) {
            also(dotnet[i], "GCSegmentTypeMap", "value", "3=PinnedObjectHeap")
            also(dotnet[i], "GCAllocationKindMap", "value", "2=Pinned")
            also(dotnet[i], "GCReasonMap", "value",
                 "10=InducedCompacting 11=LowMemoryHost 12=PMFullGC 13=LowMemoryHostBlocking")
            also(dotnet[i], "AssemblyFlagsMap", "bits", "16=ReadyToRun")
            also(dotnet[i], "ModuleFlagsMap", "bits", "16=IbcOptimized 32=ReadyToRunModule 64=PartialReadyToRun")
            also(dotnet[i], "MethodFlagsMap", "bits", "16=JitHelper 32=ProfilerRejectedPrecompiledCode" \
                 " 64=ReadyToRunRejectedPrecompiledCode")
            also(dotnet[i], "TieredCompilationFlags", "bits", "1=QuickJit 2=QuickJitForLoops 4=TieredPGO 8=ReadyToRun")
        }
    }
    # Adds NUMBER=NAME... to a map, which may be a new one.
    function also(guid, map, kind, list,    i, n, parts, key, pair) {
        key = guid SUBSEP map
        map_kind[key] = kind
        n = split(list, parts, " ")
        for (i = 1; i <= n; i++) {
            split(parts[i], pair, "=")
            entries[key, ++entry_count[key]] = parts[i]
            values[key, entry_count[key]] = pair[1] + 0
        }
    }
    function number_of(text,    i, n) {
        if (text !~ /^0x/)
            return text + 0
        n = 0
        for (i = 3; i <= length(text); i++)
            n = n * 16 + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
        return n
    }
    function fail(why) { print "manifest_table.sh: line " NR ": " why > "/dev/stderr"; failed = 1; exit 1 }
    # The number of a map within its provider; its line comes before the event that asks first.
    function map_number(key,    i, j, one, number, line) {
        if (!entry_count[key])
            return 0
        if (key in map_numbers)
            return map_numbers[key]
        for (i = 2; i <= entry_count[key]; i++)
            for (j = i; j > 1 && values[key, j] < values[key, j - 1]; j--) {
                one = entries[key, j]; entries[key, j] = entries[key, j - 1]; entries[key, j - 1] = one
                number = values[key, j]; values[key, j] = values[key, j - 1]; values[key, j - 1] = number
            }
        map_numbers[key] = ++map_count
        line = "map\t" map_count "\t" map_kind[key]
        for (i = 1; i <= entry_count[key]; i++)
            line = line "\t" entries[key, i]
        map_lines = map_lines line "\n"
        return map_count
    }
    function field_of(    type, in_type, out_type, spec, map) {
        if ($14 ~ /[:\t@]/)
            fail("field name " $14)
        in_type = $15; out_type = $16
        sub(/^(win|xs):/, "", in_type); sub(/^(win|xs):/, "", out_type)
        spec = ($17 == "" ? "" : "[" $17 "]") ($18 == "" ? "" : "*" $18)
        if (in_type == "struct")
            type = "struct" $19
        else if (in_type == "struct?")
            type = "?24"
        else if (in_type == "Binary" && $17 == "" && out_type != "IPv6")
            type = "?14"
        else {
            # The origins of these lack the out type.
            if (in_type == "Binary" && $1 ~ /-(Winsock-AFD|WinINet)$/ && $14 ~ /Address$/)
                out_type = "SocketAddress"
            type = in_type (out_type == "" ? "" : "/" out_type)
            if (!(type in types))
                fail("type " type)
            type = types[type]
        }
        if ($4 == 280 && $20 == "ThreadFlagsMap") # settings of the compiler, not of a thread
            $20 = "TieredCompilationFlags"
        if ($20 != "" && (map = map_number($2 SUBSEP $20)))
            spec = spec "=" map
        return $14 (type spec == "" ? "" : ":" type spec)
    }
    function name_of(    opcode) {
        if ($8 == "")
            return $7 != "" ? $7 : plain($9)
        return $8
    }
    function plain(opcode) {
        sub(/^win:/, "", opcode)
        return opcode == "Info" ? "" : opcode
    }
    # Closes the event that was read last.
    function end_event() {
        if (!in_event)
            return
        sub(/:[?]14$/, ":bin", event_fields) # at the end its length is the rest
        add(event_fields)
        if (maybe != "")
            add(maybe)
        in_event = 0
    }
    function add(list) {
        if (!(task in task_seen)) {
            task_seen[task] = 1
            tasks[++task_count] = task
        }
        lines[task, ++line_count[task]] = id "\t" opcode
        lists[task, line_count[task]] = list
        if (list != "")
            uses[list]++
    }
    # "@N rest" or the list itself.
    function text_of(list,    parent) {
        parent = parents[list]
        return parent == "" ? list : "@" shared(parent) substr(list, length(parent) + 1)
    }
    function shared(list,    text) {
        if (!(list in shared_number)) {
            text = text_of(list)
            shared_number[list] = ++shared_count
            shared_lines = shared_lines "fields\t" shared_count "\t" text "\n"
        }
        return shared_number[list]
    }
    # The longest list that this one begins with.
    function find_parent(list,    n, parts, i, prefix, best) {
        n = split(list, parts, "\t")
        prefix = parts[1]
        best = ""
        for (i = 2; i < n; i++) {
            prefix = prefix "\t" parts[i]
            if (prefix in uses)
                best = prefix
        }
        return best
    }
    function end_provider(    i, j, list, out, t) {
        end_event()
        if (provider == "")
            return
        for (list in uses) {
            parents[list] = find_parent(list)
            if (parents[list] != "")
                uses[parents[list]] += 2
        }
        out = ""
        for (i = 1; i <= task_count; i++) {
            t = tasks[i]
            out = out "task\t" t "\n"
            for (j = 1; j <= line_count[t]; j++) {
                list = lists[t, j]
                if (list != "")
                    list = "\t" (uses[list] > 1 && length(list) > 3 ? "@" shared(list) : text_of(list))
                out = out lines[t, j] list "\n"
            }
        }
        blocks[provider] = "provider\t" provider "\n" map_lines shared_lines out
        for (i = ++provider_count; i > 1 && providers[i - 1] > provider; i--)
            providers[i] = providers[i - 1]
        providers[i] = provider
        map_lines = shared_lines = ""
        map_count = shared_count = task_count = 0
        delete_all()
    }
    function delete_all() {
        split("", map_numbers); split("", shared_number); split("", uses); split("", parents)
        split("", tasks); split("", task_seen); split("", lines); split("", lists); split("", line_count)
    }
    /^#/ { next }
    {
        this = $2 "\t" $3 "\t" ($1 == "(name unknown)" ? "" : $1)
        event = $4 "\t" $5 "\t" $6
        if (this != provider) {
            end_provider()
            provider = this
            last_event = ""
        }
        if (event != last_event) {
            end_event()
            last_event = event
            in_event = 1
            event_fields = maybe = ""
            task = name_of()
            opcode = $8 == "" ? "" : plain($9)
            id = $4 "." $5
            if ($3 == "classic") { # they go by their opcode
                id = $9 "." $5
                opcode = $7
                sub("^" $8 "_?", "", opcode)
            }
        }
        if ($13 != "") {
            before = event_fields (event_fields == "" ? "" : "\t")
            if (index(" " $23 " ", " maybe-struct:" $14 " ") && maybe == "")
                maybe = before $14 ":?24"
            event_fields = before field_of()
        }
    }
    END {
        if (failed)
            exit 1
        end_provider()
        for (i = 1; i <= provider_count; i++)
            printf "%s", blocks[providers[i]]
    }'
