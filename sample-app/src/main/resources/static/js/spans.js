/**
 * From when to when an instance was paused or dead, or the store stopped, according to the
 * incidents.
 */

const ENDS = { paused: 'resumed', killed: 'started', 'store-stopped': 'store-resumed' };

export function spansOf(incidents, now) {
  const spans = [];
  for (const { at, instance, kind } of incidents) {
    const ended = spans.find((span) => span.to === null && span.instance === instance && ENDS[span.kind] === kind);
    if (ended) {
      ended.to = at;
    }
    else if (ENDS[kind]) {
      spans.push({ kind, instance, from: at, to: null });
    }
  }
  return spans.map((span) => ({ ...span, to: span.to ?? now }));
}
