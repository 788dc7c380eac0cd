import { seededRandom } from './engine.ts'

/**
 * Two calls at once. The loser of the last race starts earlier in the next, twice as much for each consecutive loss. So on a machine of any speed
 * the rounds gather around the point where they meet.
 */
export class EvenRace {
  readonly #random: () => number
  /** How many turns of the event loop the first call waits; below 0, the second. */
  #lead = 0
  #step = 1
  #lastLoser = ''

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  run<First, Second>(first: () => Promise<First>, second: () => Promise<Second>): Promise<[First, Second]> {
    return Promise.all([turns(this.#lead).then(first), turns(-this.#lead).then(second)])
  }

  favor(loser: 'first' | 'second'): void {
    this.#step = loser === this.#lastLoser ? this.#step * 2 : 1 + Math.floor(this.#random() * 8)
    this.#lastLoser = loser
    this.#lead += loser === 'second' ? this.#step : -this.#step
  }
}

/** Waits for a few turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
