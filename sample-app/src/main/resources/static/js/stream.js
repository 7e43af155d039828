/**
 * The events of the server. A lost connection is opened again until it succeeds.
 */

const RETRY = 2000;

const EVENTS = ['state', 'history', 'progress', 'sections', 'incident'];

/**
 * @param handlers a function for each event, and `connection` with 'open' or 'lost'
 */
export function openStream(handlers) {
  const source = new EventSource('demo/stream');
  source.addEventListener('open', () => handlers.connection('open'));
  source.addEventListener('error', () => {
    handlers.connection('lost');
    // An answer other than 200 ends the attempts of the browser
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => openStream(handlers), RETRY);
    }
  });
  for (const event of EVENTS) {
    source.addEventListener(event, (message) => handlers[event](JSON.parse(message.data)));
  }
}
