/**
 * The two languages of the page, and numbers and times in them.
 */

const LANGUAGES = ['en', 'zh'];
const STORAGE = 'demo.language';
const loaded = {};

let language = 'en';

/** The language that the visitor has chosen, or that of the browser. */
export function preferredLanguage() {
  const stored = localStorage.getItem(STORAGE);
  if (LANGUAGES.includes(stored)) {
    return stored;
  }
  return navigator.language?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function otherLanguage() {
  return (language === 'en') ? 'zh' : 'en';
}

export function rememberLanguage() {
  localStorage.setItem(STORAGE, language);
}

/** Load a language and put its texts in the document. */
export async function useLanguage(next) {
  loaded[next] ??= await (await fetch(`i18n/${next}.json`)).json();
  language = next;
  document.documentElement.lang = next;
  document.title = t('page.title');
  for (const element of document.querySelectorAll('[data-i18n]')) {
    element.textContent = t(element.dataset.i18n);
  }
  for (const element of document.querySelectorAll('[data-i18n-label]')) {
    element.setAttribute('aria-label', t(element.dataset.i18nLabel));
  }
}

/** The text of a key, with `{names}` replaced; the number `count` selects the plural. */
export function t(key, values = {}) {
  const text = lookUp(key);
  if (text === undefined) {
    return key;
  }
  const form = (typeof text === 'string') ? text : (text[plural(values.count)] ?? text.other);
  return form.replace(/\{(\w+)}/g, (_, name) => display(values[name]));
}

export function has(key) {
  return lookUp(key) !== undefined;
}

export function number(value, digits = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

export function milliseconds(value) {
  if (!Number.isFinite(value)) {
    return number(value);
  }
  if (Math.abs(value) >= 10000) {
    return t('unit.s', { value: number(value / 1000, 1) });
  }
  const digits = (Math.abs(value) < 100) ? 1 : 0;
  return t('unit.ms', { value: number(value, digits) });
}

export function timeOfDay(epochMillis) {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit',
    fractionalSecondDigits: 1, hourCycle: 'h23' }).format(epochMillis);
}

function lookUp(key) {
  return key.split('.').reduce((node, part) => node?.[part], loaded[language]);
}

function plural(count) {
  return new Intl.PluralRules(language).select(count);
}

function display(value) {
  return (typeof value === 'number') ? number(value, 1) : String(value ?? '–');
}
