/**
 * The locks that the instances hold and wait for, asked each second while one can see them.
 */

import { forceRelease, locks } from './api.js';
import { byId, element, setText } from './dom.js';
import { has, milliseconds, number, t } from './i18n.js';
import { orMessage } from './message.js';

const PERIOD = 1000;
const WAITING_SHOWN = 3;
const COLUMNS = ['instance', 'key', 'state', 'mode', 'thread', 'for', 'remaining', 'token', 'action'];

const table = byId('explorer');
const dialog = byId('release-dialog');

let instances = [];
let seen = false;
let mayBreak = false;
let chosen = null;

export function initialiseExplorer() {
  new IntersectionObserver(([entry]) => {
    seen = entry.isIntersecting;
    refresh();
  }).observe(byId('explorer-panel'));
  document.addEventListener('visibilitychange', refresh);
  setInterval(refresh, PERIOD);
  dialog.addEventListener('close', release);
}

export function renderExplorer(state) {
  mayBreak = state?.mayBreak ?? mayBreak;
  table.tHead.replaceChildren(element('tr', {}, ...COLUMNS.map((name) =>
    element('th', { scope: 'col', textContent: t(`explorer.${name}`) }))));
  byId('explorer-reason').hidden = mayBreak;
  setText(byId('explorer-reason'), t('break.onlyLocal'));
  renderRows();
}

async function refresh() {
  if (!seen || document.hidden) {
    return;
  }
  try {
    instances = await locks();
    renderRows();
  }
  catch {
    // The state of the connection is shown by the stream
  }
}

/** Rows are kept while what they show changes, so that the focus stays in its place. */
function renderRows() {
  const body = table.tBodies[0];
  const known = new Map([...body.rows].map((row) => [row.dataset.row, row]));
  const rows = instances.flatMap(rowsOf);
  const next = rows.map((row) => update(known.get(row.id) ?? create(row), row));
  for (const row of [...body.rows]) {
    if (!next.includes(row)) {
      row.remove();
    }
  }
  next.forEach((row, index) => {
    if (body.rows[index] !== row) {
      body.insertBefore(row, body.rows[index] ?? null);
    }
  });
  table.parentElement.hidden = rows.length === 0;
  byId('explorer-empty').hidden = rows.length > 0;
}

function rowsOf({ instance, held, waiting }) {
  const shown = waiting.slice(0, WAITING_SHOWN);
  const rest = waiting.length - shown.length;
  return [
    ...held.map((lock, index) => ({ id: `${instance} held ${lock.key} ${index}`, instance, held: true, key: lock.key, cells: heldCells(instance, lock) })),
    ...shown.map((lock, index) => ({ id: `${instance} waiting ${index}`, instance, key: lock.key, cells: waitingCells(instance, lock) })),
    ...((rest > 0) ? [{ id: `${instance} rest`, instance, key: waiting.at(-1).key,
      cells: [instance, waiting.at(-1).key, t('explorer.more', { count: rest }), '', '', '', '', ''] }] : [])
  ];
}

function heldCells(instance, lock) {
  const state = `explorer.stateOf.${lock.state}`;
  return [instance, lock.key, has(state) ? t(state) : String(lock.state), modeOf(lock.mode), lock.holder,
    since(lock.since), milliseconds(durationOf(lock.remaining)), lock.token ? String(lock.token) : '–'];
}

function waitingCells(instance, lock) {
  return [instance, lock.key, t('explorer.waitingAt', { position: lock.position }), modeOf(lock.mode), lock.waiter, since(lock.since), '–', '–'];
}

const modeOf = (mode) => has(`timeline.access.${mode}`) ? t(`timeline.access.${mode}`) : mode;

const since = (instant) => milliseconds(Math.max(Date.now() - Date.parse(instant), 0));

/** Milliseconds of an ISO 8601 duration, such as PT1M28.9S. */
function durationOf(text) {
  const [, sign, hours, minutes, seconds] = /^(-?)PT(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?$/.exec(text) ?? [];
  return (sign ? -1 : 1) * 1000 * ((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + Number(seconds ?? 0));
}

function create(row) {
  const created = element('tr', { dataset: { row: row.id } }, ...row.cells.map((_, index) => element('td', { className: (index > 4) ? 'number' : '' })),
    element('td'));
  if (row.held) {
    const button = element('button', { type: 'button', className: 'danger', dataset: { forceRelease: '' } });
    button.addEventListener('click', () => confirmRelease(created.dataset.instance, created.dataset.key));
    created.lastElementChild.append(button);
  }
  return created;
}

function update(row, { instance, key, held, cells }) {
  Object.assign(row.dataset, { instance, key, state: held ? 'held' : 'waiting' });
  cells.forEach((text, index) => setText(row.cells[index], text));
  const button = row.querySelector('button');
  if (button) {
    setText(button, t('explorer.release'));
    button.setAttribute('aria-label', t('explorer.releaseOf', { instance, key }));
    button.disabled = !mayBreak;
  }
  return row;
}

function confirmRelease(instance, key) {
  chosen = { instance, key };
  setText(byId('release-text'), t('explorer.confirm', { instance, key }));
  dialog.returnValue = '';
  dialog.showModal();
}

async function release() {
  if (dialog.returnValue === 'release') {
    await orMessage(() => forceRelease(chosen.instance, chosen.key));
    await refresh();
  }
}
