/**
 * The sections of a run, of which the server sends one each time that a thread is seen
 * inside and again when it has left, and what happened to the instances meanwhile.
 */

import { analyse } from './overlaps.js';

export class Sections {

  #byEntry = new Map();
  #deaths = [];

  clear(before = Infinity) {
    for (const [entry, section] of this.#byEntry) {
      if (section.start < before) {
        this.#byEntry.delete(entry);
      }
    }
    this.#deaths = this.#deaths.filter((death) => death.at >= before);
  }

  add(sections) {
    for (const section of sections) {
      this.#byEntry.set(`${section.instance} ${section.thread} ${section.start}`, { ...section, open: section.outcome === null, seen: section.end });
    }
  }

  /** An instance was killed; who was seen inside may have left before. */
  killed(instance, at) {
    this.#deaths.push({ instance, at });
  }

  /** All sections in order of entry, in lanes, with overlaps and hand-offs. */
  analyse(now, permits) {
    const all = [...this.#byEntry.values()].sort((a, b) => a.start - b.start);
    for (const section of all) {
      section.end = this.#endOf(section, now);
      section.overlapping = null;
    }
    return { all, lanes: lanesOf(all), ...analyse(all, permits), permits,
      lost: all.filter((section) => section.outcome === 'lost'),
      refused: all.filter((section) => section.outcome === 'refused') };
  }

  #endOf(section, now) {
    const isOver = !section.open
      || this.#deaths.some(({ instance, at }) => instance === section.instance && at >= section.start);
    return isOver ? section.seen : Math.max(section.seen, now);
  }

}

/**
 * Distributes the sections of each instance over rows in which they do not touch: each goes
 * to the first row that is free.
 */
function lanesOf(sections) {
  const lanes = new Map();
  for (const section of sections) {
    if (!lanes.has(section.instance)) {
      lanes.set(section.instance, []);
    }
    const rows = lanes.get(section.instance);
    const free = rows.findIndex((row) => row.at(-1).end <= section.start);
    if (free >= 0) {
      rows[free].push(section);
    }
    else {
      rows.push([section]);
    }
  }
  return lanes;
}
