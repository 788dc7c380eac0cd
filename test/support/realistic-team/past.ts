// Moves the clock of this process, so that what it makes through the API and with functions of the service was made on another day.

const Real = Date
let offsetMs = 0

class MovedDate extends Real {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(Real.now() + offsetMs)
    else super(...(given as [number]))
  }

  static override now(): number {
    return Real.now() + offsetMs
  }
}

/** Sets the clock; it runs on from that time. */
export function moveTo(time: Date): void {
  offsetMs = time.getTime() - Real.now()
  globalThis.Date = MovedDate as DateConstructor
}

export function returnToPresent(): void {
  offsetMs = 0
  globalThis.Date = Real
}

/** What happens at this time; the clock is where it was afterwards, or once the promise is kept. */
export function at<Result>(time: Date, act: () => Result): Result {
  const [before, offsetBefore] = [globalThis.Date, offsetMs]
  const goBack = () => {
    offsetMs = offsetBefore
    globalThis.Date = before
  }
  moveTo(time)
  let result: Result
  try {
    result = act()
  } catch (error) {
    goBack()
    throw error
  }
  if (result instanceof Promise) return result.finally(goBack) as Result
  goBack()
  return result
}
