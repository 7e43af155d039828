/**
 * Finds the owners inside a critical section at the same time as others that should have been outside, in
 * O(n log n). A pure function of the sections, each with instance, key, access, start and
 * end.
 *
 * 1. The entries and exits of a key are sorted by time; at the same time exits come first.
 * 2. They are passed once, counting who is inside: exclusive, shared and permits.
 * 3. While an exclusive section is not alone, or more permits are taken than there are,
 *    there is an overlap. An entry in such a state counts as one.
 *
 * An exclusive section that follows another of its key without an overlap is a hand-off.
 * A section whose lease was lost, and which wrote nothing, overlaps with none.
 */

/**
 * @returns count of entries that overlapped, the intervals of the overlaps by key (disjoint
 * and in order), the hand-offs in order
 */
export function analyse(all, permits) {
  const sections = all.filter(({ outcome }) => outcome !== 'lost' && outcome !== 'refused');
  const intervals = new Map();
  const handOffs = [];
  let count = 0;
  for (const [key, ofKey] of groupByKey(sections)) {
    const found = sweep(ofKey, permits);
    count += found.count;
    intervals.set(key, found.intervals);
    handOffs.push(...handOffsOf(ofKey));
  }
  handOffs.sort((a, b) => a.to.start - b.to.start);
  return { count, intervals, handOffs };
}

function groupByKey(sections) {
  const groups = new Map();
  for (const section of sections) {
    if (!groups.has(section.key)) {
      groups.set(section.key, []);
    }
    groups.get(section.key).push(section);
  }
  return groups;
}

function sweep(sections, permits) {
  const inside = { exclusive: 0, shared: 0, permit: 0 };
  const intervals = [];
  let count = 0;
  let since = null;
  for (const { at, by, access } of passages(sections)) {
    inside[access] += by;
    const overlapping = isOverlap(inside, permits);
    if (overlapping && by > 0) {
      count++;
    }
    if (overlapping && since === null) {
      since = at;
    }
    else if (!overlapping && since !== null) {
      intervals.push([since, at]);
      since = null;
    }
  }
  return { count, intervals };
}

function passages(sections) {
  const passages = [];
  for (const { start, end, access } of sections) {
    // A section without duration meets no other
    if (end > start) {
      passages.push({ at: start, by: 1, access }, { at: end, by: -1, access });
    }
  }
  return passages.sort((a, b) => a.at - b.at || a.by - b.by);
}

function isOverlap(inside, permits) {
  return (inside.exclusive > 0 && inside.exclusive + inside.shared > 1) || inside.permit > permits;
}

function handOffsOf(sections) {
  const exclusive = sections.filter((section) => section.access === 'exclusive').sort((a, b) => a.start - b.start);
  const handOffs = [];
  let last = exclusive[0];
  for (const next of exclusive.slice(1)) {
    if (next.start >= last.end) {
      handOffs.push({ from: last, to: next, inside: last.instance === next.instance });
    }
    last = (next.end >= last.end) ? next : last;
  }
  return handOffs;
}
