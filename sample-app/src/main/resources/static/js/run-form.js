/**
 * The form that starts a run, and cancels it.
 */

import { cancelRun, startRun } from './api.js';
import { byId, element, setText } from './dom.js';
import { t } from './i18n.js';
import { orMessage } from './message.js';
import { scenarioName, strategyName } from './words.js';

const form = byId('run-form');
const { scenario, strategy, threads, requests } = form.elements;
const instances = byId('instances');

let known = null;

export function initialiseRunForm() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    start(valuesOf());
  });
  form.addEventListener('input', () => {
    renderHint();
    renderStart();
  });
  scenario.addEventListener('change', () => renderStrategies());
  byId('cancel').addEventListener('click', () => orMessage(cancelRun));
}

/** Start a run; the form shows what it is. */
export async function start(run) {
  scenario.value = run.scenario;
  renderStrategies(run.strategy);
  if (scenarioOf().customers) {
    Object.assign(threads, { value: run.threads });
    Object.assign(requests, { value: run.requests });
  }
  Object.assign(instances, { value: run.instances });
  // Before the answer: a short run may have ended when it arrives
  byId('start').disabled = true;
  const started = await orMessage(() => startRun(valuesOf()));
  if (!started) {
    renderStart();
  }
}

/** Whether no run is under way, and all instances serve that would take part in one. */
export function mayStart() {
  return known.run === null && missing().length === 0;
}

export function renderRunForm(state) {
  known = state;
  const { limits, scenarios, store, run } = state;
  setOptions(scenario, scenarios.map(({ id }) => [id, scenarioName(id)]));
  renderStrategies();
  threads.max = limits.threads;
  requests.max = limits.requests;
  instances.max = limits.instances;
  renderStart();
  byId('cancel').disabled = run?.state !== 'running';
  setText(byId('store'), t(`store.${store.name}`));
}

function missing() {
  return known.instances.slice(0, Number(instances.value)).filter(({ state }) => state !== 'serving');
}

function renderStart() {
  byId('start').disabled = !mayStart();
  setText(byId('start-hint'), (known.run === null && missing().length > 0)
    ? t('run.waiting', { instances: missing().map(({ name }) => name).join(', ') }) : '');
}

function scenarioOf() {
  return known.scenarios.find(({ id }) => id === scenario.value);
}

function renderStrategies(selected = strategy.value) {
  const { strategies, customers } = scenarioOf();
  threads.parentElement.hidden = requests.parentElement.hidden = !customers;
  const labels = new Map(known.strategies.map(({ id, label }) => [id, label]));
  setOptions(strategy, strategies.map((id) => [id, strategyName(id, labels.get(id))]), selected);
  renderHint();
}

function renderHint() {
  setText(byId('scenario-hint'), [t(`scenario.${scenario.value}.text`), ...(scenarioOf().customers ? [
    t('run.total', { total: threads.value * requests.value, threads: Number(threads.value), requests: Number(requests.value) })] : [])].join(t('unit.space')));
}

function setOptions(select, options, selected = select.value) {
  const shown = [...select.options].map(({ value, text }) => `${value} ${text}`).join();
  if (shown !== options.map((option) => option.join(' ')).join()) {
    select.replaceChildren(...options.map(([value, textContent]) => element('option', { value, textContent })));
  }
  select.value = options.some(([value]) => value === selected) ? selected : options[0][0];
}

function valuesOf() {
  const customers = scenarioOf().customers ? { threads: Number(threads.value), requests: Number(requests.value) } : { threads: 1, requests: 1 };
  return { scenario: scenario.value, strategy: strategy.value, ...customers, instances: Number(instances.value) };
}
