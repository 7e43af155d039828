/**
 * The lesson: a homemade lock and that of the starter under the same fault, one experiment
 * at a time.
 */

import { experiments, runExperiment } from './api.js';
import { byId, element } from './dom.js';
import { has, milliseconds, number, t } from './i18n.js';
import { orMessage } from './message.js';
import { overlapsOf, spanOf } from './stays.js';

const CODE = 'https://github.com/lockspring/lock-spring-boot-starter/blob/main/sample-app/src/main/java/io/github/lockspring/sample';
const SYMBOLS = { exact: '✓' };

const list = byId('lesson');
const results = new Map();

let all = [];
let running = null;
let mayRun = false;

export async function initialiseLesson() {
  all = (await orMessage(experiments)) ?? [];
  list.replaceChildren(...all.map(create));
  renderLesson();
}

/** The language or the state has changed. */
export function renderLesson(state) {
  mayRun = state?.mayBreak ?? mayRun;
  for (const experiment of all) {
    render(experiment);
  }
}

function create({ id }) {
  const button = element('button', { type: 'button' });
  button.addEventListener('click', () => run(id));
  return element('article', { dataset: { experiment: id } }, element('h3', { id: `lesson-${id}` }), element('p', { className: 'what' }),
    button, element('div', { className: 'outcomes', ariaLive: 'polite' }));
}

async function run(id) {
  running = id;
  results.delete(id);
  renderLesson();
  const result = await orMessage(() => runExperiment(id));
  running = null;
  if (result) {
    results.set(id, result);
  }
  renderLesson();
  keepFocus(article(id).querySelector('button'));
}

/** A button that was disabled has lost it. */
function keepFocus(button) {
  if (document.activeElement === document.body) {
    button.focus();
  }
}

const article = (id) => list.querySelector(`[data-experiment="${id}"]`);

function render(experiment) {
  const { id, store, fault } = experiment;
  const [heading, what, button, outcomes] = article(id).children;
  heading.textContent = t(`lesson.${id}.name`);
  what.textContent = t('lesson.what', { store, fault: t(`lesson.fault.${fault}`) });
  button.textContent = t((running === id) ? 'lesson.running' : 'lesson.run');
  button.setAttribute('aria-label', t((running === id) ? 'lesson.runningOf' : 'lesson.runOf', { name: t(`lesson.${id}.name`), fault: t(`lesson.fault.${fault}`) }));
  button.disabled = !mayRun || running !== null;
  article(id).ariaBusy = String(running === id);
  // Only what has changed is announced
  const shown = results.has(id) ? document.documentElement.lang : '';
  if (outcomes.dataset.shown !== shown) {
    outcomes.dataset.shown = shown;
    outcomes.replaceChildren(...(shown ? describe(experiment, results.get(id)) : []));
  }
}

function describe({ id, code }, { homemade, starter }) {
  return [
    outcome('homemade', homemade, [[`${code}.java`, `${CODE}/homemade/${code}.java`]]),
    outcome('starter', starter, [['StarterContender.java', `${CODE}/lesson/StarterContender.java`], ['Trial.java', `${CODE}/lesson/Trial.java`]]),
    element('p', { className: 'why', textContent: t(`lesson.${id}.why`) })
  ];
}

function outcome(side, result, code) {
  const verdict = (result.verdict === 'exact') ? 'exact' : 'wrong';
  return element('section', { dataset: { side, verdict: result.verdict } },
    element('h4', { textContent: t(`lesson.${side}`) }),
    element('p', { className: 'verdict', dataset: { verdict } },
      element('span', { className: 'symbol', ariaHidden: 'true', textContent: SYMBOLS[verdict] ?? '✕' }), inWords(result)),
    ...timeline(result),
    element('p', { className: 'code' }, ...code.map(([textContent, href]) => element('a', { textContent, href }))));
}

const inWords = ({ verdict, requests }) => t(`lesson.verdict.${verdict}`)
    + ((requests === null) ? '' : t('lesson.requests', { requests: number(requests, (requests < 10) ? 1 : 0), count: Number(requests.toFixed(1)) }));

/** A lane for each owner, and what happened to it. */
function timeline({ stays, moments }) {
  const span = spanOf(stays, moments);
  if (span === null) {
    return [];
  }
  const owners = [...new Set([...stays, ...moments].map(({ owner }) => owner))].sort();
  const at = (time) => `${100 * (time - span.from) / (span.to - span.from)}%`;
  const bar = ({ from, to }, kind) => {
    const created = element('span', { dataset: { kind } });
    Object.assign(created.style, { left: at(from), width: `calc(${at(span.from + to - from)} + 2px)` });
    return created;
  };
  const lanes = owners.map((owner) => element('div', { className: 'lane' }, element('b', { textContent: owner }),
    element('div', {}, ...stays.filter((stay) => stay.owner === owner).map((stay) => bar(stay, stay.outcome)),
      ...overlapsOf(stays, owner).map((overlap) => bar(overlap, 'overlap')))));
  return [element('div', { className: 'stays', ariaHidden: 'true' }, ...lanes),
    element('p', { className: 'moments', textContent: story(stays, moments, span).join(t('lesson.separator')) })];
}

function story(stays, moments, span) {
  const entries = [...stays.map(({ owner, from }) => ({ owner, at: from, kind: 'entered' })), ...moments];
  return entries.sort((a, b) => a.at - b.at)
    .filter(({ kind }) => has(`lesson.moment.${kind}`))
    .map(({ owner, at, kind }) => t(`lesson.moment.${kind}`, { owner, at: milliseconds(at - span.from) }));
}
