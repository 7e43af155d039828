/**
 * Puts the parts of the page together: what the server reports goes to each part that shows
 * it.
 */

import { addProgress, beginCharts, initialiseCharts, renderCharts, showHistory } from './charts.js';
import { byId, renderEach, setText } from './dom.js';
import { initialiseExplorer, renderExplorer } from './explorer.js';
import { otherLanguage, preferredLanguage, rememberLanguage, t, useLanguage } from './i18n.js';
import { initialiseIncidents, recordIncident, renderBreaks, renderIncidents } from './incidents.js';
import { initialiseLesson, renderLesson } from './lesson.js';
import { beginLive, endLive, renderLive, showProgress } from './live.js';
import { dropMessageThatIsOver, renderMessage } from './message.js';
import { renderResults, runToRepeat } from './results.js';
import { initialiseRunForm, mayStart, renderRunForm, start } from './run-form.js';
import { openStream } from './stream.js';
import { currentTheme, initialiseTheme, toggleTheme } from './theme.js';
import { addIncident, addSections, beginTimeline, endTimeline, initialiseTimeline, renderTimeline } from './timeline.js';

let state = null;
let shown = null;
let connection = 'connecting';

initialiseTheme(renderAll);
await useLanguage(preferredLanguage());
initialiseCharts();
initialiseTimeline();
initialiseRunForm();
initialiseIncidents();
initialiseExplorer();
initialiseLesson();
byId('language').addEventListener('click', switchLanguage);
byId('theme').addEventListener('click', () => {
  toggleTheme();
  renderAll();
});
byId('run-again').addEventListener('click', () => start(runToRepeat(state.runs)));
renderAll();
openStream({
  connection: showConnection,
  state: showState,
  history: ({ sections, progress, incidents }) => renderEach(
    () => incidents.forEach(showIncident),
    () => addSections(sections),
    () => showHistory(progress.filter(({ run }) => run === shown?.id)),
    () => progress.slice(-1).forEach(showIfCurrent)),
  progress: (progress) => renderEach(
    () => showIfCurrent(progress),
    () => (progress.run === state?.run?.id) && addProgress(progress)),
  sections: addSections,
  incident: showIncident
});

/** The run that is under way is shown, else the last one, even if the page was opened after it. */
function showState(next) {
  state = next;
  const run = next.run ?? next.runs.at(-1) ?? null;
  const isOther = run?.startedAt !== shown?.startedAt;
  const wasRunning = isOther || shown?.state === 'running';
  shown = run;
  if (run && isOther) {
    begin(run);
  }
  if (run && run.state !== 'running' && wasRunning) {
    end(run);
  }
  renderState();
}

function showIncident(incident) {
  if (recordIncident(incident)) {
    addIncident(incident);
  }
}

function showIfCurrent(progress) {
  if (progress.run === state?.run?.id) {
    showProgress(progress);
  }
}

function begin(run) {
  const scenario = state.scenarios.find(({ id }) => id === run.scenario);
  renderEach(() => beginLive(run, scenario), () => beginCharts(run, scenario),
    () => beginTimeline(run, state.instances.map(({ name }) => name).slice(0, run.instances)));
}

function end(run) {
  renderEach(() => endLive(run), () => endTimeline(run));
}

function showConnection(next) {
  connection = next;
  byId('connection').dataset.state = connection;
  setText(byId('connection'), t(`connection.${connection}`));
}

async function switchLanguage() {
  await useLanguage(otherLanguage());
  rememberLanguage();
  renderAll();
}

function renderAll() {
  setText(byId('language'), t('page.otherLanguage'));
  byId('language').lang = otherLanguage();
  setText(byId('theme'), t((currentTheme() === 'dark') ? 'page.light' : 'page.dark'));
  byId('progress').setAttribute('aria-label', t('live.progress'));
  renderEach(() => showConnection(connection), renderLive, renderCharts, renderTimeline, renderIncidents, renderMessage,
    renderLesson, renderState);
}

function renderState() {
  renderEach(() => renderResults(state?.runs ?? [], state?.machine), () => renderExplorer(state));
  if (state) {
    renderEach(() => renderRunForm(state), () => renderBreaks(state), () => renderLesson(state), () => dropMessageThatIsOver(state),
      () => { byId('run-again').hidden = !mayStart() || runToRepeat(state.runs) === null; });
  }
}
