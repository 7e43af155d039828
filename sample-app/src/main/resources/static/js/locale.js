/**
 * Without a locale, Chromium names a language that is no language tag, such as en-US@posix,
 * with which uPlot would not load.
 */

try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
