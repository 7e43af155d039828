/**
 * Paints the sections of each instance as bars in rows, and the parts of them that overlap
 * in red.
 * 
 * Bars that are shorter than a pixel are added up to how much of it they cover. Overlaps are
 * always painted.
 */

import { firstIndex, visible } from './search.js';
import { AXIS } from './timeline-layout.js';

export function paintBars(context, layout, colors, instance) {
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

export function paintOverlaps(context, layout, colors) {
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
