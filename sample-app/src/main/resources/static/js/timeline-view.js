/**
 * The part of a run that the timeline shows, in milliseconds.
 */

const MIN_LENGTH = 1;

export class TimelineView {

  from = 0;
  to = 1;
  #bounds = [0, 1];

  /** The whole run, beyond which one cannot go. */
  setBounds(from, to) {
    this.#bounds = [from, Math.max(to, from + MIN_LENGTH)];
  }

  get isWhole() {
    return this.from <= this.#bounds[0] && this.to >= this.#bounds[1];
  }

  showWhole() {
    [this.from, this.to] = this.#bounds;
  }

  show(from, to) {
    const length = Math.min(Math.max(to - from, MIN_LENGTH), this.#bounds[1] - this.#bounds[0]);
    this.from = Math.min(Math.max(from, this.#bounds[0]), this.#bounds[1] - length);
    this.to = this.from + length;
  }

  /** Show a time in the middle, with what is around it. */
  center(at, length = this.to - this.from) {
    this.show(at - length / 2, at + length / 2);
  }

  /** Show more or less than now; the time at the given part of the width stays where it is. */
  zoom(factor, part = 0.5) {
    const length = this.to - this.from;
    const at = this.from + length * part;
    const next = Math.max(length * factor, MIN_LENGTH);
    this.show(at - next * part, at + next * (1 - part));
  }

  /** Move by a part of the width. */
  pan(part) {
    const distance = (this.to - this.from) * part;
    this.show(this.from + distance, this.to + distance);
  }

}
