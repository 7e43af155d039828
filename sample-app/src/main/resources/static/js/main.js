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
let running = null;
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
  progress: (progress) => {
    if (progress.run === running?.id) {
      showProgress(progress);
      addProgress(progress);
    }
  },
  sections: addSections,
  incident: (incident) => {
    recordIncident(incident);
    addIncident(incident);
  }
});

function showState(next) {
  const before = running;
  const first = (state === null);
  state = next;
  running = (next.run?.state === 'running') ? next.run : null;
  if (before && before.id !== running?.id) {
    end(next.runs.find(({ id }) => id === before.id) ?? next.run);
  }
  if (running && before?.id !== running.id) {
    begin(running);
  }
  else if (first) {
    showLast(next.runs.at(-1));
  }
  renderState();
}

function begin(run) {
  beginLive(run);
  beginCharts(run);
  beginTimeline(run, state.instances.map(({ name }) => name).slice(0, run.instances));
}

/** The run before the page was opened; its course is over. */
function showLast(run) {
  if (run) {
    beginLive(run);
    end(run);
  }
}

function end(run) {
  if (run) {
    endLive(run);
    endTimeline(run);
  }
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
    byId('run-again').hidden = running !== null || runToRepeat(state.runs) === null;
  }
}
