/**
 * The shapes of the timeline and its legend.
 */

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

export function polygon(context, fill, points) {
  context.fillStyle = fill;
  context.beginPath();
  points.forEach(([x, y]) => context.lineTo(x, y));
  context.fill();
}
