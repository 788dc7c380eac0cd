// docs/webhooks.md agrees with the sources.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RETRY_WAITS_MS } from '../../src/lib/webhooks/ladder.ts'
import { WEBHOOK_CAUSES } from '../../src/schemas/webhook-causes.ts'

const text = readFileSync('docs/webhooks.md', 'utf8')
const rowsOf = (heading: string): string[][] => {
  const table = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...table.matchAll(/^\| (.*) \|$/gm)].slice(2).map(([, cells = '']) => cells.split(' | ').map((cell) => cell.trim()))
}

it('has every wait between attempts', () => {
  const units: Record<string, number> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 }
  const waits = rowsOf('Answer').map(([attempt, wait = '']) => {
    const [amount, unit = ''] = wait.split(' ')
    return [Number(attempt), wait === 'at once' ? 0 : Number(amount) * (units[unit] ?? Number.NaN)]
  })
  expect(waits).toEqual([0, ...RETRY_WAITS_MS].map((ms, index) => [index + 1, ms]))
})

it('says of every event when it happens', () => {
  const said = rowsOf('What each event means').map(([type, happens]) => [type?.replaceAll('`', ''), happens])
  expect(said).toEqual(Object.entries(WEBHOOK_CAUSES).map(([type, { happens }]) => [type, happens]))
})
