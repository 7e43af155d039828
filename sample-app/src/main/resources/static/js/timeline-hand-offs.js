/**
 * Paints how the lock went from one section to the next: a mark inside a JVM, an arrow between two.
 */

import { firstIndex } from './search.js';
import { BAND } from './timeline-layout.js';
import { polygon } from './timeline-shapes.js';

export function paintHandOffs(context, layout, colors) {
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
