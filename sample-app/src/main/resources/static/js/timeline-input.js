/**
 * Lets a visitor zoom and move the timeline by wheel, pointer and keyboard, and select
 * sections.
 */

import { gutterFor } from './timeline-layout.js';

/**
 * @param actions isStill() if the view can be changed, change(action) does so; select(section),
 * selectBy(step) from the selected one, selectAt(x, y)
 */
export function followInput(canvas, view, actions) {
  canvas.addEventListener('keydown', (event) => onKey(event, view, actions));
  canvas.addEventListener('blur', () => actions.select(null));
  canvas.addEventListener('wheel', (event) => onWheel(event, canvas, view, actions), { passive: false });
  followPointer(canvas, view, actions);
}

function onKey(event, view, { change, select, selectBy }) {
  const action = {
    ArrowLeft: () => view.pan(-0.15), ArrowRight: () => view.pan(0.15),
    '+': () => view.zoom(0.7), '=': () => view.zoom(0.7), '-': () => view.zoom(1 / 0.7),
    Home: () => view.showWhole(), 0: () => view.showWhole(),
    ArrowDown: () => selectBy(1), ArrowUp: () => selectBy(-1)
  }[event.key];
  if (event.key === 'Escape') {
    select(null);
  }
  if (action && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    change(action);
  }
}

function onWheel(event, canvas, view, { isStill, change }) {
  const outOfWhole = event.deltaY > 0 && view.isWhole;
  if (!isStill() || outOfWhole) {
    return;
  }
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    change(() => view.pan(event.deltaX / canvas.clientWidth));
  }
  else {
    const gutter = gutterFor(canvas.clientWidth);
    const part = (event.offsetX - gutter) / (canvas.clientWidth - gutter);
    change(() => view.zoom(Math.exp(event.deltaY * 0.002), Math.min(Math.max(part, 0), 1)));
  }
}

function followPointer(canvas, view, { change, select, selectAt }) {
  let dragged = null;
  canvas.addEventListener('pointerdown', (event) => {
    dragged = event.clientX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (dragged !== null && event.buttons) {
      const part = (dragged - event.clientX) / (canvas.clientWidth - gutterFor(canvas.clientWidth));
      dragged = event.clientX;
      change(() => view.pan(part));
    }
    selectAt(event.offsetX, event.offsetY);
  });
  canvas.addEventListener('pointerup', () => dragged = null);
  canvas.addEventListener('pointercancel', () => dragged = null);
  canvas.addEventListener('pointerleave', () => select(null));
}
