/**
 * Stays of owners inside: from when to when, and where two of them are inside at once. A
 * stay at whose end nothing was written overlaps with none.
 */

/** From the first to the last, or `null` if there are none. */
export function spanOf(stays, moments) {
  const times = [...stays.flatMap(({ from, to }) => [from, to]), ...moments.map(({ at }) => at)];
  return (times.length > 0) ? { from: Math.min(...times), to: Math.max(...times, Math.min(...times) + 1) } : null;
}

/** The parts of the stays of an owner in which another is inside. */
export function overlapsOf(stays, owner) {
  const counted = stays.filter(({ outcome }) => outcome === 'done');
  return counted.filter((stay) => stay.owner === owner).flatMap((stay) => counted
    .filter((other) => other.owner !== owner)
    .map((other) => ({ from: Math.max(stay.from, other.from), to: Math.min(stay.to, other.to) }))
    .filter(({ from, to }) => from < to));
}
