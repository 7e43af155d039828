/**
 * Requests to the server. A refusal is thrown as a {@link Refusal}.
 */

export class Refusal extends Error {

  /** The code and the values make a sentence of the page, the message is that of the server. */
  constructor(message, { code, arguments: values } = {}) {
    super(message);
    this.code = code;
    this.values = values;
  }

}

export const startRun = (run) => send('POST', 'demo/runs', run);

export const cancelRun = () => send('DELETE', 'demo/runs/current');

export const breakIt = (kind) => send('POST', 'demo/breaks', { kind, instance: null });

export const locks = () => send('GET', 'demo/locks');

export const forceRelease = (instance, key) => send('DELETE', `demo/locks?${new URLSearchParams({ instance, key })}`);

export const experiments = () => send('GET', 'demo/lesson');

export const runExperiment = (id) => send('POST', `demo/lesson/${encodeURIComponent(id)}`);

async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { Accept: 'application/json, application/problem+json', ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body)
  });
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok) {
    throw new Refusal(answer?.detail ?? answer?.title ?? `${response.status} ${response.statusText}`, answer ?? {});
  }
  return answer;
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  }
  catch {
    return null;
  }
}
