/**
 * Where the timeline has its axis, the bands of the instances, their rows and times.
 */

import { firstFrom } from './search.js';

export const AXIS = 24;
export const BAND = 62;
const STRIP = 10;
const GAP = 24;

const heightFor = (instances) => AXIS + STRIP + instances * (BAND + GAP) + 14;

export const gutterFor = (width) => (width < 560) ? 26 : 84;

/** Where a time and a row are. */
export class Layout {

  constructor(width, instances, model, view) {
    this.width = width;
    this.instances = instances;
    this.height = heightFor(instances.length);
    this.gutter = gutterFor(width);
    this.model = model;
    this.view = view;
    this.scale = (width - this.gutter) / (view.to - view.from);
  }

  x(time) {
    return this.gutter + (time - this.view.from) * this.scale;
  }

  time(x) {
    return this.view.from + (x - this.gutter) / this.scale;
  }

  top(instance) {
    return AXIS + STRIP + GAP - 6 + this.instances.indexOf(instance) * (BAND + GAP);
  }

  rows(instance) {
    return this.model.lanes.get(instance) ?? [];
  }

  rowHeight(instance) {
    return BAND / Math.max(this.rows(instance).length, 1);
  }

  /** The section at a point, or the nearest one beside it in its row. */
  sectionAt(x, y) {
    const instance = this.instances.find((name) => y >= this.top(name) - 2 && y <= this.top(name) + BAND + 2);
    const rows = this.rows(instance);
    const row = rows[Math.min(Math.max(Math.floor((y - this.top(instance)) / this.rowHeight(instance)), 0), rows.length - 1)];
    if (!row) {
      return null;
    }
    const time = this.time(x);
    const next = firstFrom(row, time);
    return [row[next], row[next - 1]].find((section) => section
        && this.x(section.start) - 4 <= x && x <= this.x(section.end) + 4) ?? null;
  }

}
