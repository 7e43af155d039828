/**
 * Paints the timeline: a band per instance with its sections as bars in rows, overlaps in
 * red, hand-offs between the bars, and what happened to the instances.
 */

import { number, t } from './i18n.js';
import { firstFrom } from './search.js';
import { color } from './theme.js';
import { paintBars, paintOverlaps } from './timeline-bars.js';
import { paintHandOffs } from './timeline-hand-offs.js';
import { AXIS, BAND } from './timeline-layout.js';
import { hatch, paintLost, paintRefused } from './timeline-shapes.js';

const FONT = '12px system-ui, sans-serif';

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

function paintOutcomes(context, layout, colors) {
  for (const section of layout.model.lost) {
    paintLost(context, colors, layout.x(section.end), layout.top(section.instance) - 9);
  }
  for (const section of layout.model.refused) {
    paintRefused(context, colors, layout.x(section.end), layout.top(section.instance) - 9);
  }
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
