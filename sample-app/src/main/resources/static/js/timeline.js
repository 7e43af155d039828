/**
 * The timeline of who held the lock: follows a run while it lasts, and can be searched
 * afterwards by wheel, pointer and keyboard.
 */

import { byId, element, setText } from './dom.js';
import { milliseconds, number, t } from './i18n.js';
import { spansOf } from './spans.js';
import { Sections } from './sections.js';
import { TimelineView } from './timeline-view.js';
import { Layout, gutterFor, heightFor, hatch, paint, paintLost, paintRefused, partsOf } from './timeline-painter.js';
import { color } from './theme.js';

const FOLLOWED = 2000;
const DELAY = 300;
const PERMITS = 2;

const panel = byId('timeline-panel');
const canvas = byId('timeline');
const context = canvas.getContext('2d');
const tooltip = byId('timeline-tooltip');
const calm = matchMedia('(prefers-reduced-motion: reduce)');

const sections = new Sections();
const view = new TimelineView();

let incidents = [];
let instances = ['1', '2', '3'];
let run = null;
let model = sections.analyse(0, PERMITS);
let clock = null;
let latest = 0;
let selected = null;
let frame = null;
let stale = false;

export function initialiseTimeline() {
  new ResizeObserver(redraw).observe(canvas.parentElement);
  byId('timeline-in').addEventListener('click', () => change(() => view.zoom(0.5)));
  byId('timeline-out').addEventListener('click', () => change(() => view.zoom(2)));
  byId('timeline-earlier').addEventListener('click', () => change(() => view.pan(-0.25)));
  byId('timeline-later').addEventListener('click', () => change(() => view.pan(0.25)));
  byId('timeline-whole').addEventListener('click', () => change(() => view.showWhole()));
  byId('timeline-overlap').addEventListener('click', showNextOverlap);
  canvas.addEventListener('keydown', onKey);
  canvas.addEventListener('blur', () => select(null));
  canvas.addEventListener('wheel', onWheel, { passive: false });
  followPointer();
}

/** A run begins; what belongs to it may have arrived before. */
export function beginTimeline(next, names) {
  run = next;
  instances = names;
  sections.clear(run.startedAt);
  incidents = incidents.filter((incident) => incident.at >= run.startedAt - 1000);
  latest = run.startedAt;
  clock = null;
  select(null);
  analyse();
  renderTimeline();
  animate();
}

export function addSections(added) {
  sections.add(added);
  for (const { start, end } of added) {
    see(end ?? start);
  }
  stale = true;
  if (!isLive()) {
    endTimeline(run);
  }
  else if (calm.matches || document.hidden) {
    redraw();
  }
}

export function addIncident(incident) {
  incidents.push(incident);
  if (isLive()) {
    see(incident.at);
  }
  if (incident.kind === 'killed') {
    sections.killed(incident.instance, incident.at);
  }
  stale = true;
  redraw();
}

/** The run is over, and shown as a whole. */
export function endTimeline(finished) {
  run = finished;
  analyse();
  view.setBounds(run?.startedAt ?? 0, latest + (latest - (run?.startedAt ?? 0)) * 0.01);
  view.showWhole();
  redraw();
  summarise();
}

/** Language or colours have changed. */
export function renderTimeline() {
  renderLegend();
  redraw();
  summarise();
}

const isLive = () => run?.state === 'running';

function see(time) {
  latest = Math.max(latest, time);
  const offset = time - performance.now();
  clock = (clock === null) ? offset : Math.max(clock, offset);
}

/** The present time of the server. */
function now() {
  return isLive() ? (clock ?? 0) + performance.now() : latest;
}

function analyse() {
  stale = false;
  model = sections.analyse(latest, run?.result?.permits ?? PERMITS);
  Object.assign(panel.dataset, { sections: model.all.length, overlaps: model.count,
    handOffsInside: model.handOffs.filter((handOff) => handOff.inside).length,
    handOffsBetween: model.handOffs.filter((handOff) => !handOff.inside).length,
    lost: model.lost.length, refused: model.refused.length });
}

function animate() {
  if (isLive() && !calm.matches) {
    draw();
    requestAnimationFrame(animate);
  }
}

function redraw() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    draw();
  });
}

function draw() {
  if (stale) {
    analyse();
  }
  if (isLive()) {
    const end = Math.max((calm.matches ? latest : now() - DELAY), run.startedAt + FOLLOWED);
    view.setBounds(end - FOLLOWED, end);
    view.showWhole();
  }
  const layout = currentLayout();
  fit(layout);
  paint(context, layout, { spans: spansOf(incidents, now()), startedAt: run?.startedAt ?? 0, selected });
  updateTools();
}

function currentLayout() {
  return new Layout(canvas.parentElement.clientWidth, instances, model, view);
}

function fit({ width, height }) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function updateTools() {
  const still = !isLive() && run !== null;
  for (const id of ['in', 'earlier', 'later']) {
    byId(`timeline-${id}`).disabled = !still;
  }
  byId('timeline-out').disabled = byId('timeline-whole').disabled = !still || view.isWhole;
  byId('timeline-overlap').disabled = !still || model.count === 0;
}

function change(action) {
  if (!isLive() && run !== null) {
    action();
    redraw();
  }
}

function showNextOverlap() {
  const starts = [...model.intervals.values()].flat().map(([from]) => from).sort((a, b) => a - b);
  const middle = (view.from + view.to) / 2;
  const next = view.isWhole ? starts[0] : (starts.find((start) => start > middle + 0.01) ?? starts[0]);
  change(() => view.center(next, Math.min(100, view.to - view.from)));
}

function onKey(event) {
  const action = {
    ArrowLeft: () => view.pan(-0.15), ArrowRight: () => view.pan(0.15),
    '+': () => view.zoom(0.7), '=': () => view.zoom(0.7), '-': () => view.zoom(1 / 0.7),
    Home: () => view.showWhole(), 0: () => view.showWhole(),
    ArrowDown: () => selectBy(1), ArrowUp: () => selectBy(-1)
  }[event.key];
  if (event.key === 'Escape') {
    select(null);
  }
  if (action && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    change(action);
  }
}

/** Select the next or previous section; at first the one in the middle. */
function selectBy(step) {
  const { all } = model;
  const middle = (view.from + view.to) / 2;
  const at = selected ? all.findIndex((section) => isSame(section, selected)) + step
      : all.findIndex((section) => section.end >= middle);
  const next = all[Math.min(Math.max(at, 0), all.length - 1)];
  if (next) {
    if (next.start < view.from || next.end > view.to) {
      view.center((next.start + next.end) / 2);
    }
    select(next);
    placeTooltip(currentLayout().x((next.start + next.end) / 2), currentLayout().top(next.instance));
  }
}

const isSame = (a, b) => a.start === b.start && a.instance === b.instance && a.thread === b.thread;

function onWheel(event) {
  const outOfWhole = event.deltaY > 0 && view.isWhole;
  if (isLive() || run === null || outOfWhole) {
    return;
  }
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    change(() => view.pan(event.deltaX / canvas.clientWidth));
  }
  else {
    const gutter = gutterFor(canvas.clientWidth);
    const part = (event.offsetX - gutter) / (canvas.clientWidth - gutter);
    change(() => view.zoom(Math.exp(event.deltaY * 0.002), Math.min(Math.max(part, 0), 1)));
  }
}

function followPointer() {
  let dragged = null;
  canvas.addEventListener('pointerdown', (event) => {
    dragged = event.clientX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (dragged !== null && event.buttons) {
      const part = (dragged - event.clientX) / (canvas.clientWidth - gutterFor(canvas.clientWidth));
      dragged = event.clientX;
      change(() => view.pan(part));
    }
    point(event);
  });
  canvas.addEventListener('pointerup', () => dragged = null);
  canvas.addEventListener('pointercancel', () => dragged = null);
  canvas.addEventListener('pointerleave', () => select(null));
}

function point(event) {
  const found = currentLayout().sectionAt(event.offsetX, event.offsetY);
  if (found || selected) {
    select(found);
  }
  if (found) {
    placeTooltip(event.offsetX, event.offsetY);
  }
}

function select(section) {
  selected = section;
  tooltip.hidden = section === null;
  if (section) {
    tooltip.replaceChildren(...describe(section).map((line, index) => element(index ? 'span' : 'strong', { textContent: line })));
  }
  redraw();
}

function describe(section) {
  const overlaps = partsOf(section, model.intervals.get(section.key) ?? []).length > 0;
  return [
    t('timeline.tooltip.who', { instance: section.instance, thread: section.thread }),
    t('timeline.tooltip.what', { key: section.key, access: t(`timeline.access.${section.access}`) }),
    t('timeline.tooltip.when', { at: milliseconds(section.start - run.startedAt), length: milliseconds(section.end - section.start) }),
    section.token === null ? null : t('timeline.tooltip.token', { token: String(section.token) }),
    section.open ? t('timeline.tooltip.inside') : t(`timeline.outcome.${section.outcome ?? 'done'}`),
    overlaps ? t('timeline.tooltip.overlap') : null
  ].filter((line) => line !== null);
}

function placeTooltip(x, y) {
  const limit = canvas.clientWidth - tooltip.offsetWidth - 4;
  tooltip.style.left = `${Math.max(Math.min(x + 12, limit), 4)}px`;
  tooltip.style.top = `${y + 16}px`;
}

function summarise() {
  const { dataset } = panel;
  if (isLive() || model.all.length === 0) {
    setText(byId('timeline-summary'), t(isLive() ? 'timeline.live' : 'timeline.empty'));
    return;
  }
  const sentences = [
    t('timeline.summary.sections', { count: model.all.length, instances: instances.length }),
    model.count ? t('timeline.summary.overlaps', { count: model.count }) : t('timeline.summary.noOverlaps'),
    t('timeline.summary.handOffs', { inside: Number(dataset.handOffsInside), between: Number(dataset.handOffsBetween) }),
    model.lost.length ? t('timeline.summary.lost', { count: model.lost.length }) : null,
    model.refused.length ? t('timeline.summary.refused', { count: model.refused.length }) : null
  ];
  setText(byId('timeline-summary'), sentences.filter((sentence) => sentence !== null).join(t('unit.space')));
}

function renderLegend() {
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
