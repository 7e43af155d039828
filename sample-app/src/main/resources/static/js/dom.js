/**
 * Elements with text. Text is never parsed as HTML.
 */

export const byId = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const created = Object.assign(document.createElement(name), rest);
  Object.assign(created.dataset, dataset);
  created.append(...children);
  return created;
}

/** Set a text only if it differs, so that nothing is announced twice. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
