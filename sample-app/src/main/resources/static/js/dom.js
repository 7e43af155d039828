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

/** Let each part render itself: one that fails is reported, and does not keep the others from it. */
export function renderEach(...parts) {
  for (const part of parts) {
    try {
      part();
    }
    catch (error) {
      reportError(error);
    }
  }
}

/** Set a text only if it differs, so that nothing is announced twice. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
