import type { RunCounts } from '../../modules/automations/runs/run-records.repository.ts'

/** What counts of runs go up to: modules/automations/runs/run-records.repository.ts. */
const RUNNING_MAX = 10_000

/** `2 running, 1,000 completed, 1 failed`; of each state that has some. */
export function runCountWords({ running, completed, failed, cancelled }: RunCounts): string {
  const runs = running > RUNNING_MAX ? `over ${RUNNING_MAX.toLocaleString('en')}` : running.toLocaleString('en')
  const words = [
    running > 0 ? `${runs} running` : '',
    ...Object.entries({ completed, failed, cancelled }).map(([name, count]) => (count > 0 ? `${count.toLocaleString('en')} ${name}` : '')),
  ]
  return words.filter((word) => word !== '').join(', ') || 'none'
}
