/**
 * The finished runs as a load test reports them, and the last two of a scenario compared.
 */

import { byId, element, setText } from './dom.js';
import { milliseconds, number, t } from './i18n.js';
import { scenarioName, strategyName, verdictInWords, verdictOf, withStrategy } from './words.js';

const SYMBOLS = { exact: '✓', wrong: '✕' };

const LOCK = 'distributed-lock';

const COLUMNS = [
  ['samples', ({ samples }) => number(samples)],
  ['average', ({ average }) => number(average, 1)],
  ['median', ({ median }) => number(median, 1)],
  ['p90', ({ p90 }) => number(p90, 1)],
  ['p95', ({ p95 }) => number(p95, 1)],
  ['p99', ({ p99 }) => number(p99, 1)],
  ['min', ({ min }) => number(min, 1)],
  ['max', ({ max }) => number(max, 1)],
  ['error', ({ errorPercent }) => number(errorPercent, 2)],
  ['throughput', ({ throughput }) => number(throughput, 1)]
];

export function renderResults(runs, machine) {
  const newestFirst = [...runs].reverse();
  renderHead();
  byId('results').tBodies[0].replaceChildren(...newestFirst.map(rowOf));
  byId('results').parentElement.hidden = runs.length === 0;
  setText(byId('machine'), runs.length ? t('results.machine', machine) : '');
  renderComparison(newestFirst);
}

/** The run to repeat with the lock, if the last one had none. */
export function runToRepeat(runs) {
  const last = runs.at(-1);
  return (last && last.strategy !== LOCK && last.result && verdictOf(last) !== 'exact') ? { ...last, strategy: LOCK } : null;
}

function renderHead() {
  const names = ['run', 'scenario', 'strategy', 'verdict', ...COLUMNS.map(([name]) => name)];
  byId('results').tHead.replaceChildren(element('tr', {}, ...names.map((name, index) =>
      element('th', { scope: 'col', textContent: t(`results.${name}`), className: (index > 3) ? 'number' : '' }))));
}

function rowOf(run) {
  const { id, scenario, strategy, result } = run;
  return element('tr', { dataset: { run: id, scenario, strategy, verdict: verdictOf(run) } },
    element('th', { scope: 'row', textContent: number(id) }),
    element('td', { textContent: scenarioName(scenario) }),
    element('td', { textContent: strategyName(strategy) }),
    element('td', {}, verdictElement(run)),
    ...COLUMNS.map(([, value]) => element('td', { className: 'number', textContent: result ? value(result) : '–' })));
}

export function verdictElement(run) {
  const verdict = verdictOf(run);
  return element('span', { className: 'verdict', dataset: { verdict } },
    element('span', { className: 'symbol', ariaHidden: 'true', textContent: SYMBOLS[verdict] ?? '–' }), verdictInWords(run));
}

function renderComparison(newestFirst) {
  const withResult = newestFirst.filter((run) => run.result);
  const last = withResult[0];
  const other = withResult.find((run) => run.scenario === last.scenario && run.strategy !== last.strategy);
  setText(byId('comparison'), last ? (other ? compare(other, last) : alone(last)) : t('results.empty'));
  byId('side-by-side').replaceChildren(...(other ? [other, last].map(cardOf) : []));
}

function alone(run) {
  return capitalise(t('results.one', { verdict: verdictInWords(run), with: withStrategy(run.strategy) }));
}

function compare(before, after) {
  return capitalise(t('results.two', { before: verdictInWords(before), beforeWith: withStrategy(before.strategy),
    after: verdictInWords(after), afterWith: withStrategy(after.strategy) }));
}

const capitalise = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

function cardOf(run) {
  const { result } = run;
  return element('article', { dataset: { verdict: verdictOf(run) } },
    element('h3', { textContent: strategyName(run.strategy) }),
    element('p', {}, verdictElement(run)),
    element('dl', {}, ...factsOf(result), ...fact('overlaps', number(result.overlaps))));
}

function factsOf({ messages, hours, median, p95, throughput }) {
  if (messages !== null) {
    return [...fact('messages', number(messages)), ...fact('hours', number(hours))];
  }
  return [...fact('median', milliseconds(median)), ...fact('p95', milliseconds(p95)), ...fact('throughput', number(throughput))];
}

function fact(name, value) {
  return [element('div', {}, element('dt', { textContent: t(`results.${name}`) }), element('dd', { textContent: value }))];
}
