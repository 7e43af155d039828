/**
 * Runs, scenarios, strategies and refusals in words.
 */

import { has, number, t } from './i18n.js';

export const scenarioName = (id) => has(`scenario.${id}`) ? t(`scenario.${id}.name`) : id;

export const strategyName = (id, label = id) => has(`strategy.${id}`) ? t(`strategy.${id}.name`) : label;

/** Such as "without a lock". */
export const withStrategy = (id) => has(`strategy.${id}`) ? t(`strategy.${id}.with`) : id;

/** Why something was not done; in the words of the server if the page has none. */
export const refusalInWords = ({ code, values, message }) => has(`refusal.${code}`) ? t(`refusal.${code}`, exact(values)) : message;

/** A refused number is shown with its fraction. */
const exact = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) =>
  [name, (typeof value === 'number') ? number(value, 20) : value]));

/** exact, wrong or incomplete; cancelled, overdue or failed without a result. */
export const verdictOf = (run) => run.result?.verdict ?? run.state;

/** Such as "oversold by 4,821". */
export function verdictInWords(run) {
  const { result } = run;
  if (result === null || result === undefined) {
    return run.failure ? t('verdict.failedBecause', { reason: run.failure }) : t(`verdict.${run.state}`);
  }
  if (result.verdict === 'incomplete') {
    return t('verdict.incomplete', { percent: number(result.errorPercent, 2) });
  }
  return t(`verdict.${run.scenario}.${result.verdict}`, countsOf(run));
}

function countsOf({ scenario, result }) {
  switch (scenario) {
    case 'stock': return { count: result.lostUpdates };
    case 'reminder': return { count: result.messages / Math.max(result.hours, 1) };
    case 'printer': return { count: result.mostAtOnce, permits: result.permits };
    case 'catalogue': return { count: result.tornReads };
    default: return {};
  }
}
