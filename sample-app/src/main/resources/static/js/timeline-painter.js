/**
 * Paints the timeline: a band per instance with its sections as bars in rows, overlaps in
 * red, hand-offs between the bars, and what happened to the instances.
 *
 * Bars that are shorter than a pixel are added up to how much of it they cover. Overlaps are
 * always painted, and last.
 */

import { color } from './theme.js';
import { number, t } from './i18n.js';

const AXIS = 24;
const STRIP = 10;
const BAND = 62;
const GAP = 24;
const FONT = '12px system-ui, sans-serif';

export const heightFor = (instances) => AXIS + STRIP + instances * (BAND + GAP) + 14;

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

export function paint(context, layout, { spans, startedAt, selected }) {
  const colors = new Proxy({}, { get: (_, name) => color(name) });
  context.clearRect(0, 0, layout.width, layout.height);
  context.font = FONT;
  paintAxis(context, layout, colors, startedAt);
  context.save();
  context.beginPath();
  context.rect(layout.gutter, AXIS, layout.width - layout.gutter, layout.height - AXIS);
  context.clip();
  paintSpans(context, layout, colors, spans);
  paintHandOffs(context, layout, colors);
  for (const instance of layout.instances) {
    paintBars(context, layout, colors, instance);
  }
  paintOverlaps(context, layout, colors);
  labelSpans(context, layout, colors, spans);
  paintOutcomes(context, layout, colors);
  paintSelected(context, layout, colors, selected);
  context.restore();
}

function paintAxis(context, layout, colors, startedAt) {
  const step = stepFor(80 / layout.scale);
  const first = Math.ceil((layout.view.from - startedAt) / step) * step;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  for (let at = first; startedAt + at <= layout.view.to; at += step) {
    const x = layout.x(startedAt + at);
    context.fillStyle = colors.grid;
    context.fillRect(Math.round(x), AXIS - 4, 1, layout.height - AXIS + 4);
    if (x < layout.width - 26 && x > layout.gutter + 14) {
      context.fillStyle = colors.muted;
      context.fillText(timeLabel(at, step), x, AXIS / 2);
    }
  }
  context.textAlign = 'left';
  for (const instance of layout.instances) {
    context.fillStyle = colors.band;
    context.fillRect(layout.gutter, layout.top(instance), layout.width - layout.gutter, BAND);
    context.fillStyle = colors.text;
    context.fillText((layout.gutter < 40) ? instance : t('timeline.instance', { instance }), 4, layout.top(instance) + BAND / 2);
  }
}

function stepFor(shortest) {
  const magnitude = 10 ** Math.floor(Math.log10(shortest));
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((step) => step >= shortest);
}

function timeLabel(at, step) {
  return (step >= 100) ? t('unit.s', { value: number(at / 1000, 1) }) : t('unit.ms', { value: number(at, (step < 1) ? 2 : 0) });
}

function paintSpans(context, layout, colors, spans) {
  for (const span of spans) {
    const x = layout.x(span.from);
    const width = Math.max(layout.x(span.to) - x, 2);
    for (const instance of span.instance ? [span.instance] : layout.instances) {
      if (layout.instances.includes(instance)) {
        hatch(context, x, layout.top(instance) - 3, width, BAND + 6, colors.span);
      }
    }
  }
}

function labelSpans(context, layout, colors, spans) {
  for (const span of spans) {
    for (const instance of span.instance ? [span.instance] : layout.instances) {
      if (layout.instances.includes(instance) && span.to >= layout.view.from) {
        label(context, colors, t(`timeline.span.${span.kind}`), Math.max(layout.x(span.from), layout.gutter), layout.top(instance) + BAND + 12);
      }
    }
  }
}

function label(context, colors, text, x, y) {
  context.fillStyle = colors.surface;
  context.fillRect(x, y - 8, context.measureText(text).width + 8, 16);
  context.fillStyle = colors.text;
  context.fillText(text, x + 4, y);
}

function paintHandOffs(context, layout, colors) {
  const { handOffs } = layout.model;
  const visible = handOffs.slice(firstIndex(handOffs, (handOff) => handOff.to.start >= layout.view.from),
      firstIndex(handOffs, (handOff) => handOff.from.end > layout.view.to));
  const dense = visible.length > layout.width / 4;
  const painted = new Set();
  context.save();
  context.lineWidth = 1;
  context.globalAlpha = dense ? 0.35 : 1;
  for (const handOff of visible) {
    const x = layout.x(handOff.to.start);
    const place = `${Math.floor(x)} ${handOff.from.instance} ${handOff.to.instance}`;
    if (!painted.has(place)) {
      painted.add(place);
      (handOff.inside ? paintInside : paintBetween)(context, layout, colors, handOff, x, dense);
    }
  }
  context.restore();
}

function paintInside(context, layout, colors, { to }, x) {
  context.fillStyle = colors['hand-off-inside'];
  context.fillRect(x - 0.5, layout.top(to.instance) + BAND + 1, 1.5, 5);
}

function paintBetween(context, layout, colors, { from, to }, x, dense) {
  const down = layout.top(from.instance) < layout.top(to.instance);
  const start = layout.top(from.instance) + (down ? BAND : 0);
  const end = layout.top(to.instance) + (down ? 0 : BAND);
  context.strokeStyle = colors['hand-off-between'];
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(layout.x(from.end), start);
  context.lineTo(x, end);
  context.stroke();
  context.setLineDash([]);
  if (!dense) {
    polygon(context, colors['hand-off-between'], [[x, end], [x - 3.5, end + (down ? -6 : 6)], [x + 3.5, end + (down ? -6 : 6)]]);
  }
}

function paintBars(context, layout, colors, instance) {
  const height = layout.rowHeight(instance);
  context.fillStyle = colors[`instance-${(layout.instances.indexOf(instance) % 3) + 1}`];
  layout.rows(instance).forEach((row, index) =>
      paintRow(context, layout, row, layout.top(instance) + index * height, Math.max(height - ((height > 4) ? 1 : 0), 1)));
  context.globalAlpha = 1;
}

function paintRow(context, layout, row, y, height) {
  let pixel = null;
  let covered = 0;
  const flush = () => {
    if (pixel !== null) {
      context.globalAlpha = Math.min(1, 0.3 + covered);
      context.fillRect(pixel, y, 1, height);
    }
  };
  for (const section of visible(row, layout.view)) {
    if (isCovered(section, layout.model.intervals.get(section.key))) {
      continue;
    }
    const x = layout.x(section.start);
    const width = layout.x(section.end) - x;
    if (width >= 1.5) {
      context.globalAlpha = shade(section.thread);
      context.fillRect(x, y, (width > 4) ? width - 0.75 : width, height);
    }
    else if (Math.floor(x) === pixel) {
      covered += width;
    }
    else {
      flush();
      pixel = Math.floor(x);
      covered = width;
    }
  }
  flush();
}

/** Each thread has its shade of the colour of its instance. */
function shade(thread) {
  let hash = 0;
  for (let i = 0; i < thread.length; i++) {
    hash = (hash * 31 + thread.charCodeAt(i)) | 0;
  }
  return 0.55 + (Math.abs(hash) % 6) * 0.09;
}

function paintOverlaps(context, layout, colors) {
  for (const [key, intervals] of layout.model.intervals) {
    if (intervals.length > 0) {
      paintMarks(context, layout, intervals, AXIS + 1, 6, colors.overlap);
      for (const instance of layout.instances) {
        paintOverlapsOf(context, layout, colors, instance, key, intervals);
      }
    }
  }
}

function paintOverlapsOf(context, layout, colors, instance, key, intervals) {
  const height = layout.rowHeight(instance);
  layout.rows(instance).forEach((row, index) => {
    const parts = [];
    for (const section of visible(row, layout.view)) {
      if (section.key === key) {
        parts.push(...overlapsOf(section, intervals));
      }
    }
    paintMarks(context, layout, parts, layout.top(instance) + index * height,
        Math.max(height - ((height > 4) ? 1 : 0), 1.5), colors.overlap);
  });
}

/** Computed once for each section and analysis. */
function overlapsOf(section, intervals) {
  return section.overlapping ??= partsOf(section, intervals);
}

function isCovered(section, intervals = []) {
  const [first] = overlapsOf(section, intervals);
  return first !== undefined && first[0] === section.start && first[1] === section.end;
}

/** The parts of a section in which it overlaps. */
export function partsOf({ start, end }, intervals) {
  const parts = [];
  for (let i = firstIndex(intervals, (interval) => interval[1] > start); i < intervals.length && intervals[i][0] < end; i++) {
    parts.push([Math.max(start, intervals[i][0]), Math.min(end, intervals[i][1])]);
  }
  return parts;
}

function paintMarks(context, layout, intervals, y, height, fill) {
  let left = null;
  let right = null;
  context.fillStyle = fill;
  for (const [from, to] of intervals) {
    if (to >= layout.view.from && from <= layout.view.to) {
      const x = layout.x(from);
      if (left !== null && x > right + 0.5) {
        context.fillRect(left, y, right - left, height);
        left = null;
      }
      left ??= x;
      right = Math.max(layout.x(to), x + 2, right ?? 0);
    }
  }
  if (left !== null) {
    context.fillRect(left, y, right - left, height);
  }
}

function paintOutcomes(context, layout, colors) {
  for (const section of layout.model.lost) {
    paintLost(context, colors, layout.x(section.end), layout.top(section.instance) - 9);
  }
  for (const section of layout.model.refused) {
    paintRefused(context, colors, layout.x(section.end), layout.top(section.instance) - 9);
  }
}

/** A triangle with an exclamation mark. */
export function paintLost(context, colors, x, y) {
  polygon(context, colors.lost, [[x, y - 7], [x + 8, y + 7], [x - 8, y + 7]]);
  context.fillStyle = colors.surface;
  context.fillRect(x - 1, y - 2, 2, 4);
  context.fillRect(x - 1, y + 3.5, 2, 2);
}

/** A circle with a cross. */
export function paintRefused(context, colors, x, y) {
  context.fillStyle = colors.refused;
  context.beginPath();
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = colors.surface;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - 3, y - 3);
  context.lineTo(x + 3, y + 3);
  context.moveTo(x + 3, y - 3);
  context.lineTo(x - 3, y + 3);
  context.stroke();
}

function paintSelected(context, layout, colors, selected) {
  const rows = selected ? layout.rows(selected.instance) : [];
  const index = rows.findIndex((row) => row[firstFrom(row, selected.start)]?.start === selected.start);
  if (index >= 0) {
    const height = layout.rowHeight(selected.instance);
    context.strokeStyle = colors.text;
    context.lineWidth = 2;
    context.strokeRect(layout.x(selected.start) - 1, layout.top(selected.instance) + index * height - 1,
        Math.max(layout.x(selected.end) - layout.x(selected.start), 1) + 2, height + 1);
  }
}

export function hatch(context, x, y, width, height, stroke) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = stroke;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  context.beginPath();
  const first = Math.max(x - height, -height);
  for (let left = first - (first - x) % 7; left < Math.min(x + width, context.canvas.width); left += 7) {
    context.moveTo(left, y + height);
    context.lineTo(left + height, y);
  }
  context.stroke();
  context.restore();
}

function polygon(context, fill, points) {
  context.fillStyle = fill;
  context.beginPath();
  points.forEach(([x, y]) => context.lineTo(x, y));
  context.fill();
}

function* visible(row, view) {
  for (let i = firstFrom(row, view.from); i < row.length && row[i].start <= view.to; i++) {
    yield row[i];
  }
}

const firstFrom = (row, time) => firstIndex(row, (section) => section.end >= time);

/** The first index of a sorted list from which on a condition holds. */
function firstIndex(list, holds) {
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
