/**
 * The charts of a run: stock, requests per second and latency, over its time.
 */

import { byId } from './dom.js';
import { number, t } from './i18n.js';
import { color } from './theme.js';

const CHARTS = [
  { id: 'chart-stock', name: 'stock', of: 'stock', unit: '', series: [['stock', 'series-1', []], ['expected', 'muted', [5, 4]]] },
  { id: 'chart-rate', name: 'rate', of: 'customers', unit: '/s', series: [['rate', 'series-1', []]] },
  { id: 'chart-latency', name: 'latency', of: 'customers', unit: 'ms', series: [['p50', 'series-1', []], ['p95', 'series-2', [6, 3]], ['p99', 'series-3', [2, 3]]] }
];
const HEIGHT = 210;
const FONT = '12px system-ui, sans-serif';

let stockAtStart = null;
let latest = 0;
let data = emptyData();
let plots = [];

export function initialiseCharts() {
  const observer = new ResizeObserver(() => plots.forEach(fit));
  CHARTS.forEach(({ id }) => observer.observe(byId(id)));
}

export function beginCharts(run, scenario) {
  stockAtStart = scenario.stock ? run.total : null;
  for (const { id, of } of CHARTS) {
    byId(id).parentElement.hidden = !scenario[of];
  }
  showHistory([]);
}

/** What has happened before, also while the connection was lost. */
export function showHistory(all) {
  latest = 0;
  data = emptyData();
  if (stockAtStart !== null) {
    add('chart-stock', 0, [stockAtStart, stockAtStart]);
  }
  all.forEach(append);
  update();
}

export function addProgress(progress) {
  append(progress);
  update();
}

/** One that the history had already is not appended again. */
function append({ elapsed, stock, sold, perSecond, p50, p95, p99 }) {
  if (elapsed <= latest) {
    return;
  }
  latest = elapsed;
  if (stock !== null) {
    add('chart-stock', elapsed, [stock, stockAtStart - sold]);
  }
  add('chart-rate', elapsed, [perSecond]);
  add('chart-latency', elapsed, [p50, p95, p99]);
}

/** Language or colours have changed. */
export function renderCharts() {
  plots.forEach((plot) => plot.destroy());
  plots = CHARTS.map(create);
}

function emptyData() {
  return Object.fromEntries(CHARTS.map(({ id, series }) => [id, [[], ...series.map(() => [])]]));
}

function add(id, elapsed, values) {
  [elapsed / 1000, ...values].forEach((value, index) => data[id][index].push(value ?? null));
}

function update() {
  plots.forEach((plot, index) => {
    plot.setData(data[CHARTS[index].id]);
    showLatest(plot);
  });
}

/** The legend has the latest values unless one points at others. */
function showLatest(plot) {
  if (plot.cursor.idx === null || plot.cursor.idx === undefined) {
    plot.setLegend({ idx: plot.data[0].length ? plot.data[0].length - 1 : null }, false);
  }
}

function create({ id, name: chart, unit, series }) {
  const container = byId(id);
  const plot = new uPlot({
    width: widthOf(container),
    height: HEIGHT,
    scales: { x: { time: false, range: (_, min, max) => [0, (max > 0) ? max : 1] }, y: { range: (_, min, max) => [0, (max > 0) ? max * 1.08 : 1] } },
    hooks: { ready: [showLatest], setCursor: [showLatest] },
    cursor: { sync: { key: 'run' }, drag: { x: false, y: false } },
    axes: [axis({ values: (_, splits) => splits.map((split) => t('unit.s', { value: number(split, 2) })) }),
      axis({ size: 58, values: (_, splits) => splits.map((split) => number(split)) })],
    series: [{ label: t('chart.time'), value: (_, value) => (value === null) ? '–' : t('unit.s', { value: number(value, 1) }) },
      ...series.map(([name, stroke, dash]) => ({ label: t(`chart.${name}`), stroke: color(stroke), dash, width: 2,
        points: { show: false }, value: (_, value) => (value === null) ? '–' : `${number(value, 1)} ${unit}`.trim() }))]
  }, data[id], container);
  const canvas = plot.root.querySelector('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', t('chart.label', { chart: t(`chart.${chart}`) }));
  return plot;
}

function axis(options) {
  return { stroke: color('muted'), font: FONT, grid: { stroke: color('grid'), width: 1 }, ticks: { show: false }, ...options };
}

function fit(plot, index) {
  plot.setSize({ width: widthOf(byId(CHARTS[index].id)), height: HEIGHT });
}

const widthOf = (container) => Math.max(container.clientWidth, 200);
