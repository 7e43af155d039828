# The table of a store in docs/performance.md, from a file of measure.sh: awk -f tables.awk redis.md
# Only the first table of a workload counts: those of primitives follow it.
BEGIN {
	FS = " *[|] *"
	ours = "lock-starter"
}

/^### / {
	split($0, word, "`")
	workload = (word[2] in seen) ? "" : word[2]
	seen[word[2]]
}

$2 == "contestant" {
	split("", title)
	for (i = 3; i < NF; i++) title[i] = $i
}

workload && $2 && $2 !~ /^(contestant|-+)$/ {
	contestants[workload] = contestants[workload] " " $2
	for (i = 3; i < NF; i++) figure[workload, $2, title[i]] = $i
}

END {
	print "| | this library | other libraries, best first | floor | ÷ floor | ÷ best other |"
	print "|---|---:|---:|---:|---:|---:|"
	row("uncontended", "one thread: cycles/s", "cycles/s")
	row("uncontended", "… p50 (p99) µs", "p50 µs;p99 µs")
	row("uncontended", "… requests/cycle", "commands/cycle")
	row("own-keys", "8 threads on 8 keys: cycles/s (p50, p99 µs)", "cycles/s;p50 µs;p99 µs")
	row("one-key", "16 threads on one key: cycles/s (max/min by thread)", "cycles/s;max/min by thread")
	row("processes", "4 JVMs × 4 threads: cycles/s (range)", "cycles/s;range")
	row("processes", "… Jain (max/min) by process", "Jain by process;max/min by process")
	row("processes", "… p99 ms", "p99 ms")
	row("hand-off", "hand-off: p50 (range, p99) ms", "p50 ms;range;p99 ms")
	row("standstill", "standstill, 50 keys", "commands/s;of the holder alone;ms until all are served")
	row("standstill-1000", "standstill, 1,000 keys", "commands/s;of the holder alone;ms until all are served")
	row("held-2000", "held", "commands/s;heap B/lease;threads")
}

function row(workload, label, titles,   main, left, floor, floors, others, first, best, i) {
	split(titles, main, ";")
	if (!((workload, ours, main[1]) in figure)) return
	for (i = split(contestants[workload], left, " "); i > 0; i--) {
		if (left[i] ~ /^(floor|blocking-pop|pipelined-queue)$/) floor = left[i]
		if (left[i] == floor || left[i] == ours || left[i] == "fair-reentrant-lock") delete left[i]
	}
	while (best = bestOf(workload, main[1], left)) {
		if (!first) first = best
		others = others (others ? "; " : "") cell(workload, best, titles) " " best
	}
	if (floor) floors = cell(workload, floor, titles) (floor == "floor" ? "" : " " floor)
	printf "| %s | %s | %s | %s | %s | %s |\n", label, cell(workload, ours, titles), others, floors,
		ratio(workload, floor, main[1]), ratio(workload, first, main[1])
}

function cell(workload, contestant, titles,   title, count, i, text) {
	count = split(titles, title, ";")
	for (i = 2; i <= count; i++) text = text (i > 2 ? ", " : " (") figure[workload, contestant, title[i]]
	return figure[workload, contestant, title[1]] text (text ? ")" : "")
}

# Removes and returns the best of those that are left.
function bestOf(workload, title, left,   i, best, name) {
	for (i in left) {
		if (!best || better(workload, title, left[i], left[best])) best = i
	}
	name = best ? left[best] : ""
	delete left[best]
	return name
}

function better(workload, title, one, other) {
	return (title ~ /cycles\/s|Jain/ ? 1 : -1) * (value(workload, one, title) - value(workload, other, title)) > 0
}

function value(workload, contestant, title,   text) {
	text = figure[workload, contestant, title]
	gsub(",", "", text)
	return text + 0
}

function ratio(workload, contestant, title,   other, result) {
	other = contestant ? value(workload, contestant, title) : 0
	if (!other || title ~ /^Jain/) return ""
	result = value(workload, ours, title) / other
	return sprintf(result >= 100 ? "%.0f" : result >= 10 ? "%.1f" : "%.2f", result)
}
