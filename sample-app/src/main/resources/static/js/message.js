/**
 * The line in which the page says what the server has refused.
 */

import { byId, setText } from './dom.js';
import { refusalInWords } from './words.js';

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

function show(next) {
  problem = next;
  renderMessage();
}
