/**
 * What the colours and shapes of the timeline mean.
 */

import { byId, element } from './dom.js';
import { t } from './i18n.js';
import { color } from './theme.js';
import { hatch, paintLost, paintRefused } from './timeline-shapes.js';

export function renderLegend(instances) {
  const items = [...instances.map((name, index) => [t('timeline.instance', { instance: name }),
      (icon) => fill(icon, `instance-${index % 3 + 1}`)]),
  [t('timeline.legendOverlap'), (icon) => fill(icon, 'overlap')],
  [t('timeline.legendInside'), (icon) => bar(icon, 'hand-off-inside', [])],
  [t('timeline.legendBetween'), (icon) => bar(icon, 'hand-off-between', [4, 3])],
  [t('timeline.legendLost'), (icon) => paintLost(icon, { lost: color('lost'), surface: color('surface') }, 11, 9)],
  [t('timeline.legendRefused'), (icon) => paintRefused(icon, { refused: color('refused'), surface: color('surface') }, 11, 9)],
  [t('timeline.legendSpan'), (icon) => hatch(icon, 1, 2, 20, 14, color('span'))]];
  byId('timeline-legend').replaceChildren(...items.map(([text, draw]) => element('li', {}, iconOf(draw), text)));
}

function iconOf(draw) {
  const icon = element('canvas', { width: 44, height: 36, className: 'icon', ariaHidden: 'true' });
  const iconContext = icon.getContext('2d');
  iconContext.scale(2, 2);
  draw(iconContext);
  return icon;
}

function fill(icon, name) {
  icon.fillStyle = color(name);
  icon.fillRect(1, 4, 20, 10);
}

function bar(icon, name, dash) {
  icon.strokeStyle = color(name);
  icon.lineWidth = dash.length ? 1.25 : 2;
  icon.setLineDash(dash);
  icon.beginPath();
  icon.moveTo(11, dash.length ? 1 : 6);
  icon.lineTo(11, dash.length ? 18 : 13);
  icon.stroke();
}
