/**
 * Searches lists that are sorted by time, by halving.
 */

export function* visible(row, view) {
  for (let i = firstFrom(row, view.from); i < row.length && row[i].start <= view.to; i++) {
    yield row[i];
  }
}

export const firstFrom = (row, time) => firstIndex(row, (section) => section.end >= time);

/** The first index of a sorted list from which on a condition holds. */
export function firstIndex(list, holds) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle])) {
      high = middle;
    }
    else {
      low = middle + 1;
    }
  }
  return low;
}
