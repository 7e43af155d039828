/**
 * The line in which the page says what the server has refused, and the fields it is about.
 */

import { byId, setText } from './dom.js';
import { refusalInWords } from './words.js';

const FIELDS = { threads: ['threads'], requests: ['requests'], instances: ['instances'], total: ['threads', 'requests'] };
const OVER = {
  'not-serving': ({ instances }) => instances.every((instance) => instance.state === 'serving'),
  'run-under-way': ({ run }) => run === null
};

let problem = null;

/** Do what the server may refuse, and show its refusal. */
export async function orMessage(action) {
  show(null);
  try {
    return await action();
  }
  catch (caught) {
    show(caught);
    return undefined;
  }
}

/** The language has changed. */
export function renderMessage() {
  const message = byId('message');
  setText(message, problem ? refusalInWords(problem) : '');
  message.hidden = problem === null;
}

/** A refusal is not shown for longer than its reason lasts. */
export function dropMessageThatIsOver(state) {
  if (OVER[problem?.code]?.(state)) {
    show(null);
  }
}

function show(next) {
  problem = next;
  renderMessage();
  const refused = FIELDS[problem?.code] ?? [];
  for (const id of new Set(Object.values(FIELDS).flat())) {
    markInvalid(byId(id), refused.includes(id));
  }
  refused.slice(0, 1).forEach((id) => byId(id).focus());
}

function markInvalid(field, invalid) {
  if (invalid) {
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', 'message');
  }
  else {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-describedby');
  }
}
