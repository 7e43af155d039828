/**
 * The figures of the run: how far it is, and at the end its verdict.
 */

import { byId, setText } from './dom.js';
import { milliseconds, number, t } from './i18n.js';
import { verdictElement } from './results.js';
import { scenarioName, strategyName } from './words.js';

let run = null;
let scenario = null;
let progress = null;

export function beginLive(next, ofScenario) {
  run = next;
  scenario = ofScenario;
  progress = { done: 0, total: run.total, stock: run.total, errors: 0, perSecond: null, p95: null };
  renderLive();
}

export function showProgress(next) {
  progress = next;
  renderFigures();
}

export function endLive(finished) {
  run = finished;
  const { result } = run;
  if (result) {
    progress = { ...progress, done: result.samples ?? run.total, stock: result.remaining,
      errors: Math.round(result.samples * result.errorPercent / 100), perSecond: result.throughput, p95: result.p95 };
  }
  renderLive();
}

export function renderLive() {
  renderStatus();
  renderFigures();
}

function renderStatus() {
  const status = byId('run-status');
  if (run === null) {
    setText(status, t('live.idle'));
  }
  else {
    const what = t(`live.${(run.state === 'running') ? 'running' : 'finished'}`,
      { scenario: scenarioName(run.scenario), strategy: strategyName(run.strategy) });
    status.replaceChildren(what, ...((run.state === 'running') ? [] : [verdictElement(run)]));
  }
}

function renderFigures() {
  if (progress === null) {
    return;
  }
  byId('progress').max = progress.total;
  byId('progress').value = progress.done;
  renderWhatThereIs();
  setText(byId('stat-stock'), number(progress.stock));
  setText(byId('stat-done'), t('live.of', { done: progress.done, total: progress.total }));
  setText(byId('stat-rate'), number(progress.perSecond));
  setText(byId('stat-p95'), milliseconds(progress.p95));
  setText(byId('stat-errors'), number(progress.errors));
  byId('stat-errors').dataset.some = progress.errors > 0;
}

/** Without customers there are no requests, but hours. */
function renderWhatThereIs() {
  setText(byId('done-name'), t(scenario.customers ? 'live.done' : 'live.hours'));
  byId('stat-stock').parentElement.hidden = !scenario.stock;
  for (const id of ['rate', 'p95', 'errors']) {
    byId(`stat-${id}`).parentElement.hidden = !scenario.customers;
  }
}
