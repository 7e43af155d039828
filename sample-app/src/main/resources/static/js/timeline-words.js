/**
 * Sections and whole timelines in words.
 */

import { milliseconds, t } from './i18n.js';
import { partsOf } from './timeline-bars.js';

/** The lines of a tooltip. */
export function describe(section, model, run) {
  const overlaps = partsOf(section, model.intervals.get(section.key) ?? []).length > 0;
  return [
    t('timeline.tooltip.who', { instance: section.instance, thread: section.thread }),
    t('timeline.tooltip.what', { key: section.key, access: t(`timeline.access.${section.access}`) }),
    t('timeline.tooltip.when', { at: milliseconds(section.start - run.startedAt), length: milliseconds(section.end - section.start) }),
    section.token === null ? null : t('timeline.tooltip.token', { token: String(section.token) }),
    section.open ? t('timeline.tooltip.inside') : t(`timeline.outcome.${section.outcome ?? 'done'}`),
    overlaps ? t('timeline.tooltip.overlap') : null
  ].filter((line) => line !== null);
}

export function summary(model, instances) {
  const inside = model.handOffs.filter((handOff) => handOff.inside).length;
  const sentences = [
    t('timeline.summary.sections', { count: model.all.length, instances: instances.length }),
    model.count ? t('timeline.summary.overlaps', { count: model.count }) : t('timeline.summary.noOverlaps'),
    t('timeline.summary.handOffs', { inside, between: model.handOffs.length - inside }),
    model.lost.length ? t('timeline.summary.lost', { count: model.lost.length }) : null,
    model.refused.length ? t('timeline.summary.refused', { count: model.refused.length }) : null
  ];
  return sentences.filter((sentence) => sentence !== null).join(t('unit.space'));
}
