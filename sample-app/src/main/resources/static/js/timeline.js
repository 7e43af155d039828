/**
 * The timeline of who held the lock: follows a run while it lasts, and can be searched
 * afterwards.
 */

import { byId, element, setText } from './dom.js';
import { t } from './i18n.js';
import { Sections } from './sections.js';
import { spansOf } from './spans.js';
import { followInput } from './timeline-input.js';
import { Layout } from './timeline-layout.js';
import { renderLegend } from './timeline-legend.js';
import { paint } from './timeline-painter.js';
import { TimelineView } from './timeline-view.js';
import { describe, summary } from './timeline-words.js';

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
  followInput(canvas, view, { isStill, change, select, selectBy, selectAt });
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
  for (const { end } of added) {
    see(end);
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
  renderLegend(instances);
  redraw();
  summarise();
}

const isLive = () => run?.state === 'running';

const isStill = () => run !== null && !isLive();

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
  for (const id of ['in', 'earlier', 'later']) {
    byId(`timeline-${id}`).disabled = !isStill();
  }
  byId('timeline-out').disabled = byId('timeline-whole').disabled = !isStill() || view.isWhole;
  byId('timeline-overlap').disabled = !isStill() || model.count === 0;
}

function change(action) {
  if (isStill()) {
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

function selectAt(x, y) {
  const found = currentLayout().sectionAt(x, y);
  if (found || selected) {
    select(found);
  }
  if (found) {
    placeTooltip(x, y);
  }
}

function select(section) {
  selected = section;
  tooltip.hidden = section === null;
  if (section) {
    tooltip.replaceChildren(...describe(section, model, run).map((line, index) => element(index ? 'span' : 'strong', { textContent: line })));
  }
  redraw();
}

function placeTooltip(x, y) {
  const limit = canvas.clientWidth - tooltip.offsetWidth - 4;
  tooltip.style.left = `${Math.max(Math.min(x + 12, limit), 4)}px`;
  tooltip.style.top = `${y + 16}px`;
}

function summarise() {
  setText(byId('timeline-summary'), isLive() ? t('timeline.live') : (model.all.length === 0) ? t('timeline.empty') : summary(model, instances));
}
