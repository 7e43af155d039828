/**
 * Puts the parts of the page together: what the server reports goes to each part that shows
 * it.
 */

import { addProgress, beginCharts, initialiseCharts, renderCharts } from './charts.js';
import { byId, setText } from './dom.js';
import { initialiseExplorer, renderExplorer } from './explorer.js';
import { otherLanguage, preferredLanguage, rememberLanguage, t, useLanguage } from './i18n.js';
import { initialiseIncidents, recordIncident, renderBreaks, renderIncidents } from './incidents.js';
import { beginLive, endLive, renderLive, showProgress } from './live.js';
import { renderMessage } from './message.js';
import { renderResults, runToRepeat } from './results.js';
import { initialiseRunForm, renderRunForm, start } from './run-form.js';
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
  history: ({ sections, incidents }) => {
    incidents.forEach(showIncident);
    addSections(sections);
  },
  progress: (progress) => {
    if (progress.run === state.run?.id) {
      showProgress(progress);
      addProgress(progress);
    }
  },
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

function begin(run) {
  beginLive(run);
  beginCharts(run);
  beginTimeline(run, state.instances.map(({ name }) => name).slice(0, run.instances));
}

function end(run) {
  endLive(run);
  endTimeline(run);
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
  showConnection(connection);
  renderLive();
  renderCharts();
  renderTimeline();
  renderIncidents();
  renderMessage();
  renderState();
}

function renderState() {
  renderResults(state?.runs ?? []);
  renderExplorer(state);
  if (state) {
    renderRunForm(state);
    renderBreaks(state);
    byId('run-again').hidden = state.run !== null || runToRepeat(state.runs) === null;
  }
}
