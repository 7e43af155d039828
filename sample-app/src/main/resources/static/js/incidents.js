/**
 * Break it yourself: the three faults, the instances, and what happened to them.
 */

import { breakIt } from './api.js';
import { byId, element } from './dom.js';
import { t, timeOfDay } from './i18n.js';
import { orMessage } from './message.js';

const KEPT = 200;
const NAMES = { pause: 'pause', kill: 'kill', 'stop-store': 'stopStore' };

const buttons = document.querySelectorAll('[data-break]');

let incidents = [];

export function initialiseIncidents() {
  for (const button of buttons) {
    button.addEventListener('click', () => orMessage(() => breakIt(button.dataset.break)));
  }
}

/** @returns whether it was not recorded before */
export function recordIncident(incident) {
  const known = incidents.some(({ at, instance, kind }) => at === incident.at && instance === incident.instance && kind === incident.kind);
  if (!known) {
    incidents = [incident, ...incidents].slice(0, KEPT);
    renderIncidents();
  }
  return !known;
}

export function renderIncidents() {
  byId('incidents-empty').hidden = incidents.length > 0;
  byId('incidents').hidden = incidents.length === 0;
  byId('incidents').replaceChildren(...incidents.map((incident) => element('li', { dataset: { kind: incident.kind } },
    element('time', { dateTime: new Date(incident.at).toISOString(), textContent: timeOfDay(incident.at) }),
    element('span', {}, t(`incident.${incident.kind}`, { instance: incident.instance }),
      ...(incident.detail ? [element('small', { textContent: incident.detail })] : [])))));
}

export function renderBreaks(state) {
  for (const button of buttons) {
    const kind = button.dataset.break;
    const reason = reasonAgainst(kind, state);
    button.disabled = reason !== null;
    byId(`break-${kind}-text`).replaceChildren(t(`break.${NAMES[kind]}Text`),
      ...(reason ? [element('em', { textContent: reason })] : []));
  }
  byId('instance-list').replaceChildren(...state.instances.map((instance) =>
    element('li', { dataset: { instance: instance.name, state: instance.state } },
      element('strong', { textContent: t('timeline.instance', { instance: instance.name }) }),
      element('span', { className: 'address', textContent: instance.address }),
      element('span', { className: 'state', textContent: t(`instance.${instance.state}`) }))));
}

function reasonAgainst(kind, { mayBreak, run, store, instances }) {
  if (!mayBreak) {
    return t('break.onlyLocal');
  }
  if (kind === 'stop-store' && !store.stoppable) {
    return t('break.notStoppable', { store: t(`store.${store.name}`) });
  }
  if (run?.state !== 'running') {
    return t('break.needsRun');
  }
  if (kind !== 'stop-store' && !instances.some((instance) => instance.breakable && instance.state === 'serving')) {
    return t('break.noInstance');
  }
  return null;
}
