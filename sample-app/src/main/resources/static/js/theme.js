/**
 * Light and dark: that of the system, until the visitor chooses one.
 */

const STORAGE = 'demo.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const probe = document.createElement('span');
const colors = new Map();

export function initialiseTheme(onChange) {
  probe.hidden = true;
  document.body.append(probe);
  const stored = localStorage.getItem(STORAGE);
  apply((stored === 'light' || stored === 'dark') ? stored : fromSystem());
  system.addEventListener('change', () => {
    if (!localStorage.getItem(STORAGE)) {
      apply(fromSystem());
      onChange();
    }
  });
}

export function currentTheme() {
  return document.documentElement.dataset.theme;
}

export function toggleTheme() {
  const next = (currentTheme() === 'dark') ? 'light' : 'dark';
  localStorage.setItem(STORAGE, next);
  apply(next);
}

/** The present value of a colour of the style sheet, for a canvas. */
export function color(name) {
  if (!colors.has(name)) {
    probe.style.color = `var(--${name})`;
    colors.set(name, getComputedStyle(probe).color);
  }
  return colors.get(name);
}

function fromSystem() {
  return system.matches ? 'dark' : 'light';
}

function apply(theme) {
  document.documentElement.dataset.theme = theme;
  colors.clear();
}
