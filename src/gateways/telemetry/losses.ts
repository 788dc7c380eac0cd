// What did not reach the receiver is counted, and said once: a receiver that is away must not fill the log.

export type Signal = 'traces' | 'metrics'

export type LossReason = 'queue_full' | 'not_exported'

export type LossReports = {
  onLost(signal: Signal, reason: LossReason, count: number): void
  onProblem(problem: string, facts: { error?: Error }): void
  onRecovery(recovery: string): void
}

export type Losses = {
  /** There was no room. */
  dropped(): void
  failed(count: number, error: Error | undefined): void
  exported(): void
}

export function createLosses(signal: Signal, { onLost, onProblem, onRecovery }: LossReports): Losses {
  let hasDropped = false
  let isFailing = false
  return {
    dropped() {
      onLost(signal, 'queue_full', 1)
      if (!hasDropped) onProblem(`${signal} dropped: more wait to be exported than OTEL_BSP_MAX_QUEUE_SIZE`, {})
      hasDropped = true
    },
    failed(count, error) {
      onLost(signal, 'not_exported', count)
      if (!isFailing) onProblem(`${signal} not exported`, error === undefined ? {} : { error })
      isFailing = true
    },
    exported() {
      if (isFailing) onRecovery(`${signal} exported again`)
      isFailing = false
    },
  }
}
